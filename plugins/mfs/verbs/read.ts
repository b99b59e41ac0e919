import type { BlockOptions, ByteRange } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { Directory } from '../tree/directory.ts'
import { lookup } from './parent.ts'

/** Bytes of a file. The checks stand in the reference's order. (Kubo 0.28, core/commands/files.go) */
export async function read(
  context: Context,
  path: string,
  { offset = 0n, length, ...options }: BlockOptions & ByteRange = {}
): Promise<AsyncIterable<Uint8Array>> {
  const { tree, parts } = context
  const at = await tree.run(() => lookup(tree, path), options)
  context.relieve()
  if (at instanceof Directory) throw mfsErrors.E_MFS_NOT_A_FILE(path)
  if (at.kind.type === 'symlink') throw mfsErrors.E_MFS_SYMLINK()
  if (offset < 0n) throw mfsErrors.E_MFS_READ_OFFSET()
  const file = await parts.unixfs.open(at.cid, options)
  if (file.type === 'directory') throw mfsErrors.E_MFS_NOT_A_FILE(path)
  if (offset > file.size) throw mfsErrors.E_MFS_READ_PAST_END(offset, file.size)
  if (length !== undefined && length < 0n) throw mfsErrors.E_MFS_READ_COUNT()
  return file.read({ offset, ...(length === undefined ? {} : { length }) })
}
