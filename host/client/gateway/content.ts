import { exporter, type UnixFSEntry } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { GatewayBlocks, type GatewayOptions } from './blocks.ts'
import { GatewayError } from './errors.ts'
import { guardNode } from './guard.ts'
import { parsePath } from './path.ts'
import { Pool } from './pool.ts'

/** Which bytes of a file. Default: all. */
export interface ReadOptions {
  readonly offset?: number
  readonly length?: number
  /** Ends the work. */
  readonly signal?: AbortSignal
}

/** An entry of a folder, as its link says. */
export interface FolderEntry {
  readonly name: string
  readonly cid: CID
  /** The size of it and of all below it, as the link says, in bytes. */
  readonly size: bigint
}

/** A file, folder or symbolic link of a tree. */
export interface TreeEntry {
  /** The path from the root on: `''`, `a`, `a/b`. It holds whatever the content says: look at it before it names a file of yours. */
  readonly path: string
  readonly cid: CID
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes of a file. */
  readonly size: bigint
  /** The bytes of a file, or the target of a symlink. To be read before the next entry is asked for. */
  bytes(): AsyncIterable<Uint8Array>
}

/** Content of gateways that need not be trusted: whatever is handed out was held against its CID. */
export interface Gateways {
  /** The bytes of a file. @throws GatewayError */
  cat(path: string, options?: ReadOptions): AsyncGenerator<Uint8Array>
  /** The entries of a folder. @throws GatewayError */
  ls(path: string, options?: Pick<ReadOptions, 'signal'>): AsyncGenerator<FolderEntry>
  /** A file, or a folder and all below it, parents before what is in them. @throws GatewayError */
  get(path: string, options?: Pick<ReadOptions, 'signal'>): AsyncGenerator<TreeEntry>
  /** One block. @throws GatewayError */
  block(cid: CID, options?: Pick<ReadOptions, 'signal'>): Promise<Uint8Array>
}

/** Folders in folders, at most. */
const DEEPEST = 1000
/** Blocks that are asked for ahead of the one that is handed out. */
const READ_AHEAD = 8

/**
 * Reads content from trustless gateways, without a node and without trusting them.
 *
 * @throws GatewayError E_GATEWAY_ADDRESS
 */
export function openGateways(options: GatewayOptions): Gateways {
  const pool = new Pool(options.gateways, options.onDropped ?? (() => {}))
  const open = () => new GatewayBlocks(options, pool)
  return {
    async *cat(path, { offset, length, signal } = {}) {
      const bytes = rangeOf(offset, length)
      const reading = new Reading(open(), path, { scope: 'entity', bytes, signal })
      try {
        yield* contentOf(await reading.root(), { offset, length, signal, blockReadConcurrency: READ_AHEAD })
      } finally {
        reading.close()
      }
    },
    async *ls(path, { signal } = {}) {
      const reading = new Reading(open(), path, { scope: 'entity', signal })
      try {
        const root = await reading.root()
        if (root.type !== 'directory') throw new GatewayError('E_GATEWAY_CONTENT', `${path} is no folder`)
        for await (const { name, cid, size } of told(root.entries({ signal }), signal)) yield { name, cid, size }
      } finally {
        reading.close()
      }
    },
    async *get(path, { signal } = {}) {
      const reading = new Reading(open(), path, { scope: 'all', signal })
      try {
        yield* reading.tree(await reading.root(), '', 0)
      } finally {
        reading.close()
      }
    },
    async block(cid, { signal } = {}) {
      const blocks = open()
      try {
        return await blocks.get(cid, { signal })
      } finally {
        blocks.close()
      }
    }
  }
}

interface How {
  readonly scope: 'all' | 'entity'
  readonly bytes?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** One path that is being read. */
class Reading {
  readonly #blocks: GatewayBlocks
  readonly #path: string
  readonly #signal: AbortSignal | undefined

  constructor(blocks: GatewayBlocks, text: string, { scope, bytes, signal }: How) {
    const { root, names } = parsePath(text)
    const encoded = names.map(encodeURIComponent)
    blocks.plan({ root, path: [root, ...encoded].join('/'), scope, bytes })
    this.#blocks = blocks
    this.#path = [root, ...names].join('/')
    this.#signal = signal
  }

  root(): Promise<UnixFSEntry> {
    return this.#open(this.#path)
  }

  async *tree(entry: UnixFSEntry, path: string, depth: number): AsyncGenerator<TreeEntry> {
    const { cid } = entry
    const signal = this.#signal
    if (depth > DEEPEST) throw new GatewayError('E_GATEWAY_CONTENT', `${this.#path} has folders in folders beyond ${DEEPEST}`)
    if (entry.type !== 'directory') {
      const isLink = entry.type === 'file' && entry.unixfs.type === 'symlink'
      const size = 'size' in entry ? BigInt(entry.size) : 0n
      const bytes = () => contentOf(entry, { signal, blockReadConcurrency: READ_AHEAD })
      yield { path, cid, type: isLink ? 'symlink' : 'file', size, bytes }
      return
    }
    yield { path, cid, type: 'directory', size: 0n, async *bytes() {} }
    for await (const { name, cid } of told(entry.entries({ signal }), signal)) {
      yield* this.tree(await this.#open(cid), path === '' ? name : `${path}/${name}`, depth + 1)
    }
  }

  close(): void {
    this.#blocks.close()
  }

  #open(of: string | CID): Promise<UnixFSEntry> {
    const blocks = this.#blocks
    const signal = this.#signal
    const store = {
      async *get(cid: CID): AsyncGenerator<Uint8Array> {
        const bytes = await blocks.get(cid, { signal })
        guardNode(cid, bytes)
        yield bytes
      }
    }
    return exporter(of, store, signal === undefined ? {} : { signal }).catch(error => {
      throw failure(error, signal)
    })
  }
}

function contentOf(
  entry: UnixFSEntry,
  { offset, length, signal, blockReadConcurrency }: ReadOptions & { signal?: AbortSignal | undefined; blockReadConcurrency: number }
): AsyncGenerator<Uint8Array> {
  if (entry.type === 'file' && entry.unixfs.type === 'symlink') return targetOf(entry.unixfs.data)
  if (entry.type === 'directory' || entry.type === 'object') {
    throw new GatewayError('E_GATEWAY_CONTENT', `${entry.cid} is ${entry.type === 'directory' ? 'a folder' : 'no file'}`)
  }
  const options = {
    blockReadConcurrency,
    ...(offset !== undefined && { offset }),
    ...(length !== undefined && { length }),
    ...(signal !== undefined && { signal })
  }
  return told(entry.content(options), signal)
}

/** The same items, with errors of the content as this module tells them. */
async function* told<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    throw failure(error, signal)
  }
}

/** The error that reading content failed with: the caller's signal, a gateway, or the content itself. */
function failure(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof GatewayError) return error
  const { code, message } = error as { code?: unknown; message: string }
  return new GatewayError(code === 'ERR_NOT_FOUND' ? 'E_GATEWAY_ABSENT' : 'E_GATEWAY_CONTENT', message, { cause: error })
}

async function* targetOf(target: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (target !== undefined) yield target
}

/** @returns undefined for all */
function rangeOf(offset = 0, length?: number): string | undefined {
  if (offset === 0 && length === undefined) return undefined
  return `${offset}:${length === undefined ? '*' : Math.max(offset, offset + length - 1)}`
}
