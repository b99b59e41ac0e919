import { join } from 'node:path'
import type { Body, BodyPart } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

interface Test {
  teardown(fn: () => Promise<unknown>): void
}

export interface Tree {
  readonly host: NodeHost
  call<T = unknown>(path: string, args?: readonly string[], options?: Readonly<Record<string, unknown>>): Promise<T>
  write(path: string, bytes: Uint8Array | string, options?: Readonly<Record<string, unknown>>): Promise<void>
  read(path: string, options?: Readonly<Record<string, unknown>>): Promise<string>
  stat(path: string): Promise<{ Hash: string; Size: bigint; CumulativeSize: bigint; Blocks: number; Type: string }>
  names(path: string): Promise<string[]>
}

/** A part of an upload with these bytes, in pieces as a socket hands them over. */
export function dataOf(bytes: Uint8Array | string, pieceSize = 65_536): Body {
  const data = Buffer.from(bytes)
  const part: BodyPart = {
    path: '/data',
    kind: 'file',
    headers: {},
    async *bytes() {
      for (let at = 0; at < data.length; at += pieceSize) yield data.subarray(at, at + pieceSize)
    }
  }
  return (async function* () {
    yield part
  })()
}

/** The commands of a host, as a test wants to say them. */
export function treeOf(host: NodeHost): Tree {
  const call = async <T>(path: string, args: readonly string[] = [], options = {}) => (await host.call(path, { args, options })) as T
  return {
    host,
    call,
    async write(path, bytes, options = {}) {
      await host.call('files/write', { args: [path], options: { create: true, ...options }, body: dataOf(bytes) })
    },
    async read(path, options) {
      const pieces: Uint8Array[] = []
      for await (const piece of await call<AsyncIterable<Uint8Array>>('files/read', [path], options)) pieces.push(piece)
      return Buffer.concat(pieces).toString('latin1')
    },
    stat: path => call('files/stat', [path]),
    async names(path) {
      const { Entries } = await call<{ Entries: Array<{ Name: string }> | null }>('files/ls', [path])
      return (Entries ?? []).map(({ Name }) => Name)
    }
  }
}

/** Settings of the tree, and of the node. */
export interface TreeOptions {
  readonly mfs?: Readonly<Record<string, number>>
  readonly threshold?: string
}

/** A node over RocksDB in a folder, which the caller stops. */
export async function openTree(repo: string, { mfs = {}, threshold }: TreeOptions = {}): Promise<Tree> {
  const config = threshold === undefined ? {} : { config: { Internal: { UnixFSShardingSizeThreshold: threshold } } }
  const host = await createHost({ repo: { path: repo, init: config }, configuration: { plugins: { mfs } as never } })
  await host.start()
  return treeOf(host)
}

/** The same in a folder of its own, for one test. */
export async function newTree(t: Test & Parameters<typeof temporaryFolder>[0], options?: TreeOptions): Promise<Tree> {
  const tree = await openTree(join(await temporaryFolder(t), 'repo'), options)
  t.teardown(() => tree.host.stop())
  return tree
}
