import { hasCode, type MfsOptions } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { parentAt } from './parent.ts'

export interface RemoveOptions extends MfsOptions {
  recursive?: boolean | undefined
  force?: boolean | undefined
}

/**
 * Removes an entry, whose blocks it does not need. Only where a directory is not to go is it looked at, as far as it is stored here.
 * (Kubo 0.28, core/commands/files.go)
 */
export async function remove(context: Context, path: string, { recursive, force, flush, ...options }: RemoveOptions = {}): Promise<void> {
  if (path === '/') throw mfsErrors.E_MFS_ROOT()
  const { folder, name } = splitPath(path.endsWith('/') ? path.slice(0, -1) : path)
  const { tree } = context
  try {
    await tree.run(() => {
      const parent = parentAt(tree, folder)
      if (!force && !recursive && tree.child(parent, name, true) instanceof Directory) throw mfsErrors.E_MFS_RECURSIVE()
      if (!context.unlink(parent, name)) throw mfsErrors.E_MFS_MISSING()
    }, options)
  } catch (error) {
    if (force && hasCode(error, 'E_MFS_MISSING')) return
    throw error
  }
  await context.keep(flush)
}
