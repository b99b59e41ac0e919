import type { CID } from 'multiformats/cid'
import { blockOptions } from '../../../core/blocks/options.ts'
import { unixfsErrors } from '../../../core/errors/index.ts'
import {
  type BlockOptions,
  type ByteRange,
  bytes,
  command,
  type OpenFile,
  PathResolver,
  p,
  type Services,
  UnixFs
} from '../../../core/index.ts'
import { contentErrors } from '../errors.ts'

const needs = { paths: PathResolver, unixfs: UnixFs }

export const cat = command.read('cat', {
  help: 'Show the content of files.',
  examples: [
    { title: 'Show a file in a folder', args: 'cat /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc/about/me.txt' },
    { title: 'Show some of its bytes', args: 'cat --offset=2 --length=4 QmStCoPeptJKiGNyeC5Zx46ChioUpvG8KgoK2fhuNr27V3' }
  ],
  needs,
  args: { ipfsPath: p.contentPath('Files to show, one after the other.').many().fromBody() },
  options: {
    offset: p.int64('Byte to start at.').alias('o'),
    length: p.int64('Bytes to show at most.').alias('l'),
    progress: p.bool('Show progress where there is a terminal.').alias('p').default(true)
  },
  reply: bytes(),
  async run(services, call) {
    const { offset = 0n, length } = call.options
    if (offset < 0n) throw contentErrors.E_OFFSET_NEGATIVE()
    if (length !== undefined && length < 0n) throw contentErrors.E_LENGTH_NEGATIVE()
    const pieces = await piecesOf(call.args.ipfsPath, offset, length, services, blockOptions(call))
    const size = pieces.reduce((sum, piece) => sum + piece.size, 0n)
    // who gets nothing is told so by the status
    return { length: size, bytes: pieces.length === 1 ? pieces[0]!.bytes : joined(pieces), eager: false }
  }
})

interface Piece {
  /** Bytes it has, as far as the file says. */
  readonly size: bigint
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The range of each file that is shown: offset and length count over all of them, and nothing beyond the length is looked at. */
async function piecesOf(
  paths: readonly string[],
  offset: bigint,
  length: bigint | undefined,
  services: Services<typeof needs>,
  options: BlockOptions
): Promise<Piece[]> {
  const pieces: Piece[] = []
  let skip = offset
  let left = length
  for (const path of left === 0n ? [] : paths) {
    const file = await open(path, services, options)
    if (skip > file.size) {
      skip -= file.size
      continue
    }
    const remaining = file.size - skip
    const last = left !== undefined && remaining >= left
    const range = { offset: skip, length: last && remaining !== left ? left : undefined }
    const bytes = pieces.length === 0 ? await file.read(range) : later(file.cid, range, services, options)
    pieces.push({ size: last && left !== undefined ? left : remaining, bytes })
    if (last) break
    if (left !== undefined) left -= remaining
    skip = 0n
  }
  return pieces
}

/** A file that is opened again when its turn comes, so that of many no block waits for it in memory. */
async function* later(cid: CID, range: ByteRange, services: Services<typeof needs>, options: BlockOptions): AsyncGenerator<Uint8Array> {
  yield* await read(cid, range, services, options)
}

/** Apart from who runs as long as the file is read: a file keeps its block. */
async function read(cid: CID, range: ByteRange, { unixfs }: Services<typeof needs>, options: BlockOptions) {
  const file = await unixfs.open(cid, options)
  if (file.type === 'directory') throw unixfsErrors.E_IS_DIRECTORY()
  return file.read(range)
}

async function open(path: string, { paths, unixfs }: Services<typeof needs>, options: BlockOptions): Promise<OpenFile> {
  const { cid } = await paths.resolve(path, options)
  const node = await unixfs.open(cid, options)
  if (node.type === 'directory') throw unixfsErrors.E_IS_DIRECTORY()
  return node
}

async function* joined(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const { bytes } of pieces) yield* bytes
}
