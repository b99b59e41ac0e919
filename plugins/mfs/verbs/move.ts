import type { MfsOptions } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { directoryAt } from './parent.ts'

/**
 * Moves an entry: over a file that the destination names, or into a directory that has none of its name. One that is where it should be stays.
 * The reference loses what is moved into itself, and leaves a source whose directory is called as the other. (boxo 0.19, mfs/ops.go)
 */
export async function move(context: Context, from: string, to: string, { flush, ...options }: MfsOptions = {}): Promise<void> {
  const { tree } = context
  const source = splitPath(from)
  const dest = to.endsWith('/') ? { folder: to, name: undefined } : splitPath(to)
  await tree.run(() => {
    let target = directoryAt(tree, dest.folder)
    let { name } = dest
    const folder = directoryAt(tree, source.folder)
    const moved = tree.child(folder, source.name)
    if (moved === undefined) throw mfsErrors.E_MFS_MISSING()
    const there = name === undefined ? undefined : tree.child(target, name)
    if (there instanceof Directory) {
      target = there
      name = undefined
    }
    if (isBelow(target, folder, source.name)) throw mfsErrors.E_MFS_INTO_ITSELF(from, to)
    if (target === folder && (name ?? source.name) === source.name) return
    if (name === undefined) {
      name = source.name
      if (target.entries.get(name) !== undefined) throw mfsErrors.E_MFS_ENTRY_EXISTS()
    } else if (there !== undefined && moved instanceof Directory) throw mfsErrors.E_MFS_OVER_FILE(to)
    // Everything that has to be loaded is, before the first change.
    tree.prepare(folder, [source.name, ...(target === folder ? [name] : [])])
    const { cid, size } = moved instanceof Directory ? tree.fold(moved) : moved
    context.put(target, name, cid, size)
    context.unlink(folder, source.name)
  }, options)
  await context.keep(flush)
}

/** Whether a directory is the entry of that name in a folder, or lies below it. */
function isBelow(directory: Directory, folder: Directory, name: string): boolean {
  for (let at: Directory | undefined = directory; at !== undefined; at = at.parent)
    if (at.parent === folder && at.name === name) return true
  return false
}
