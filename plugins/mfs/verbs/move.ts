import type { MfsOptions } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { directoryAt } from './parent.ts'

/**
 * Moves an entry: over a file, into a directory. As in the reference the source stays where both directories, and both entries, have the same
 * name, and a directory that is moved into itself is gone. (boxo 0.19, mfs/ops.go)
 */
export async function move(context: Context, from: string, to: string, { flush, ...options }: MfsOptions = {}): Promise<void> {
  const { tree } = context
  const source = splitPath(from)
  const dest = to.endsWith('/') ? { folder: to, name: source.name } : splitPath(to)
  await tree.run(() => {
    let target = directoryAt(tree, dest.folder)
    const folder = directoryAt(tree, source.folder)
    const moved = tree.child(folder, source.name)
    if (moved === undefined) throw mfsErrors.E_MFS_MISSING()
    const there = tree.child(target, dest.name)
    let { name } = dest
    if (there instanceof Directory) {
      target = there
      name = source.name
      if (target.children.has(name) || target.entries.get(name) !== undefined) throw mfsErrors.E_MFS_ENTRY_EXISTS()
    }
    const stays = folder.name === target.name && source.name === name
    // Everything that has to be loaded is, before the first change.
    target.entries.get(name)
    if (!stays) tree.prepare(folder, [source.name, ...(target === folder ? [name] : [])])
    const { cid, size } = moved instanceof Directory ? tree.fold(moved) : moved
    context.put(target, name, cid, size)
    if (!stays) context.unlink(folder, source.name)
  }, options)
  await context.keep(flush)
}
