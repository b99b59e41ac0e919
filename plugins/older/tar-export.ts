import { type ProtoLink, readProtoNode } from '../../core/dag/proto-node.ts'
import type { BlockOptions, Blocks, UnixFs } from '../../core/index.ts'
import { olderErrors } from './errors.ts'
import { MOST_NAMES, TAR_DATA } from './tar-import.ts'

const BLOCK = 512

/** The archive behind the links of its root: headers, and the bytes of files filled up to whole blocks. No blocks of zeros end it. */
export async function* tarBytes(
  links: readonly ProtoLink[],
  { blocks, unixfs }: { readonly blocks: Pick<Blocks, 'get'>; readonly unixfs: UnixFs },
  options: BlockOptions
): AsyncGenerator<Uint8Array> {
  const open = [links[Symbol.iterator]()]
  while (open.length > 0) {
    const { value: link, done } = open.at(-1)!.next()
    if (done) {
      open.pop()
      continue
    }
    const node = readProtoNode(link.cid, await blocks.get(link.cid, options))
    if (node.data.length > 0) yield node.data
    const file = node.links.find(({ name }) => name === TAR_DATA)
    if (file !== undefined) yield* padded(unixfs.read(file.cid, options))
    else if (open.length > MOST_NAMES) throw olderErrors.E_TAR_DEPTH(MOST_NAMES)
    else open.push(node.links[Symbol.iterator]())
  }
}

async function* padded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of bytes) {
    length = (length + piece.length) % BLOCK
    yield piece
  }
  if (length > 0) yield new Uint8Array(BLOCK - length)
}
