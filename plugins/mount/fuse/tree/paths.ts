import { hasCode, type Mfs } from '../../../../core/index.ts'

/** The path of the entry `name` of a directory. */
export function join(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

/** Whether there is an entry at a path. */
export async function isThere(tree: Mfs, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await tree.stat(path, { signal })
    return true
  } catch (error) {
    if (hasCode(error, 'E_MFS_MISSING')) return false
    throw error
  }
}

/** Whether there is no entry below a path: it is a file, or an empty directory. */
export async function hasNothingBelow(tree: Mfs, path: string, signal: AbortSignal): Promise<boolean> {
  if ((await tree.stat(path, { signal })).type === 'file') return true
  for await (const _ of tree.list(path, { signal })) return false
  return true
}
