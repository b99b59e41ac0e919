import { mfsErrors } from '../errors.ts'
import { namesOf } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import type { Leaf, Tree } from '../tree/tree.ts'

/** The node at a path; inside of `tree.run`. @throws E_MFS_MISSING, E_MFS_FILE_ON_PATH, E_MFS_PATH_DEPTH */
export function lookup(tree: Tree, path: string): Directory | Leaf {
  return tree.lookup(namesOf(path))
}

/** The directory at a path; inside of `tree.run`. @throws E_MFS_NOT_DIRECTORY, and what {@link lookup} does */
export function directoryAt(tree: Tree, path: string): Directory {
  const at = lookup(tree, path)
  if (!(at instanceof Directory)) throw mfsErrors.E_MFS_NOT_DIRECTORY(path)
  return at
}

/** The same, for who has to remove something from it. @throws E_MFS_PARENT */
export function parentAt(tree: Tree, path: string): Directory {
  const at = lookup(tree, path)
  if (!(at instanceof Directory)) throw mfsErrors.E_MFS_PARENT()
  return at
}
