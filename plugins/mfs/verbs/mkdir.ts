import type { MfsMakeOptions, NodeNaming } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { checkName } from '../naming.ts'
import { folderName, namesOf } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import type { Tree } from '../tree/tree.ts'

/** Makes a directory. (boxo 0.19, mfs/ops.go) */
export async function mkdir(context: Context, path: string, { parents, naming, flush, ...how }: MfsMakeOptions = {}): Promise<void> {
  const names = path.split('/').slice(1)
  if (names.at(-1) === '') names.pop()
  if (names.length === 0 && !parents) throw mfsErrors.E_MFS_ROOT_EXISTS()
  checkDirectory(context, names, naming)
  await context.tree.run(() => {
    if (!parents && reach(context.tree, names, false).missing.length === 0) throw mfsErrors.E_MFS_EXISTS()
    makeDirectory(context, names, naming)
  }, how)
  await context.keep(flush)
}

/** The directories above a path that is about to be filled, as far as they are there. */
export interface Parents {
  /** The last one that is there. */
  readonly at: Directory
  /** Whether it is the one that holds the path. */
  readonly isThere: boolean
  /** Makes what is missing, and returns the one that holds the path; inside of `tree.run`, after all that may be refused. */
  make(): Directory
}

/** Looks at the directories above a path, and makes none yet; inside of `tree.run`. @throws E_MFS_PATH_DEPTH, E_MFS_WAS_FILE, E_MFS_EXISTS */
export function parentsOf(context: Context, path: string, naming: NodeNaming | undefined): Parents {
  const names = namesOf(folderName(path))
  checkDirectory(context, names, naming)
  const { at, missing } = reach(context.tree, names, true)
  return { at, isThere: missing.length === 0, make: () => makeDirectory(context, names, naming) }
}

/** @throws E_MFS_PATH_DEPTH, and what {@link checkName} does */
function checkDirectory({ tree, parts }: Context, names: readonly string[], naming: NodeNaming | undefined): void {
  const { maxDepth } = parts.settings
  if (names.length > maxDepth) throw mfsErrors.E_MFS_PATH_DEPTH(maxDepth)
  if (naming !== undefined && names.length > 0) checkName(naming, tree.nodes)
}

/** The last directory on a path that is there, and the names behind it. */
function reach(tree: Tree, names: readonly string[], parents: boolean): { at: Directory; missing: readonly string[] } {
  let at = tree.root
  for (const [i, name] of names.entries()) {
    const next = tree.child(at, name)
    const isLast = i === names.length - 1
    if (next === undefined) {
      if (!isLast && !parents) throw mfsErrors.E_MFS_MISSING()
      return { at, missing: names.slice(i) }
    }
    if (!(next instanceof Directory)) throw isLast ? mfsErrors.E_MFS_EXISTS() : mfsErrors.E_MFS_WAS_FILE(names.slice(0, i).join('/'))
    at = next
  }
  return { at, missing: [] }
}

/** Makes what is missing of a path, as one change. One that is there gets the naming. */
function makeDirectory(context: Context, names: readonly string[], naming: NodeNaming | undefined): Directory {
  let { at, missing } = reach(context.tree, names, true)
  let first: Directory | undefined
  for (const name of missing) {
    at = context.mkdir(at, name, naming ?? at.naming)
    first ??= at
  }
  if (first !== undefined) context.made(first)
  else if (naming !== undefined && names.length > 0) context.rename(at, naming)
  return at
}
