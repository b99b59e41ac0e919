import type { MfsOptions, NodeNaming } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { Directory } from '../tree/directory.ts'
import { lookup } from './parent.ts'

/** Changes how a directory is named. (Kubo 0.28, core/commands/files.go) */
export async function rename(
  context: Context,
  path: string,
  naming: NodeNaming | undefined,
  { flush = true, ...options }: MfsOptions = {}
): Promise<void> {
  const { tree } = context
  if (naming === undefined && !flush) return
  await tree.run(() => {
    const at = lookup(tree, path)
    if (naming === undefined) return
    if (!(at instanceof Directory)) throw mfsErrors.E_MFS_ONLY_DIRECTORIES()
    context.rename(at, naming)
  }, options)
  await context.keep(flush)
}
