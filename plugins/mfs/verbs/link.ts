import type { CID } from 'multiformats/cid'
import { goQuote } from '../../../core/go/quote.ts'
import { type BlockOptions, messageOf } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { baseName, checkPath, folderName } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { loadTarget, putNode } from './copy.ts'
import { lookup } from './parent.ts'

/** The way of an added node into the tree for `add --to-files`. The checks stand in the reference's order. (Kubo 0.28, core/commands/add.go) */
export async function link(
  context: Context,
  path: string,
  name: string,
  cid: CID,
  { first = true, ...options }: BlockOptions & { first?: boolean } = {}
): Promise<void> {
  const { tree } = context
  const failed = (why: string) => (error: unknown) => {
    throw mfsErrors.E_TO_FILES(why + messageOf(error))
  }
  let dest = checked(path === '' ? '/' : path)
  if (dest.endsWith('/')) {
    const at = await tree
      .run(() => lookup(tree, dest), options)
      .catch(failed(`MFS destination directory ${goQuote(dest)} does not exist: `))
    if (!(at instanceof Directory)) throw mfsErrors.E_TO_FILES(`MFS destination ${goQuote(dest)} is not a directory`)
    dest += baseName(name)
  } else if (!first) throw mfsErrors.E_TO_FILES(`MFS destination is a file: only one entry can be copied to ${goQuote(dest)}`)
  const folder = folderName(dest)
  const absent = `MFS destination parent ${goQuote(dest)} ${goQuote(folder)} does not exist: `
  await tree.run(() => lookup(tree, folder), options).catch(failed(absent))
  await context.announced(cid, async () => {
    const target = await loadTarget(context, cid, options)
    await putNode(context, dest, () => target, options).catch(failed(`cannot put node in path ${goQuote(dest)}: `))
    await context.keep()
  })
}

/** @throws E_TO_FILES */
function checked(path: string): string {
  try {
    return checkPath(path)
  } catch (error) {
    throw mfsErrors.E_TO_FILES(messageOf(error))
  }
}
