import type { MfsMakeOptions } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { checkName } from '../naming.ts'
import { Directory } from '../tree/directory.ts'

/** Makes a directory. (boxo 0.19, mfs/ops.go) */
export async function mkdir(context: Context, path: string, options: MfsMakeOptions = {}): Promise<void> {
  const names = path.split('/').slice(1)
  if (names.at(-1) === '') names.pop()
  await makeDirectory(context, names, options)
  await context.keep(options.flush)
}

/** Makes the directories above a path, and waits for nothing to be kept. */
export async function makeParents(context: Context, folder: string, options: MfsMakeOptions): Promise<void> {
  if (folder !== '/') await makeDirectory(context, folder.split('/').slice(1), { ...options, parents: true })
}

async function makeDirectory(context: Context, names: readonly string[], { parents, naming, ...options }: MfsMakeOptions): Promise<void> {
  const name = names.at(-1)
  if (name === undefined) {
    if (parents) return
    throw mfsErrors.E_MFS_ROOT_EXISTS()
  }
  const { tree } = context
  const { maxDepth } = context.parts.settings
  if (names.length > maxDepth) throw mfsErrors.E_MFS_PATH_DEPTH(maxDepth)
  if (naming !== undefined) checkName(naming, tree.nodes)
  await tree.run(() => {
    let at = tree.root
    let first: Directory | undefined
    const make = (parent: Directory, name: string) => {
      const made = context.mkdir(parent, name, naming ?? parent.naming)
      first ??= made
      return made
    }
    try {
      for (const [i, name] of names.slice(0, -1).entries()) {
        const next = tree.child(at, name)
        if (next !== undefined && !(next instanceof Directory)) throw mfsErrors.E_MFS_WAS_FILE(names.slice(0, i).join('/'))
        if (next === undefined && !parents) throw mfsErrors.E_MFS_MISSING()
        at = next ?? make(at, name)
      }
      const there = tree.child(at, name)
      if (there === undefined) make(at, name)
      else if (!parents || !(there instanceof Directory)) throw mfsErrors.E_MFS_EXISTS()
      else if (naming !== undefined) context.rename(there, naming)
    } finally {
      // Those above one that is too deep are made.
      if (first !== undefined) context.made(first)
    }
  }, options)
}
