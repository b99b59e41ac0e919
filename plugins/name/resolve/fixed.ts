import { messageOf } from '../../../core/index.ts'
import { parseAbsolutePath } from '../../../core/path/index.ts'
import { nameErrors } from '../errors.ts'

/** The variable of the environment that adds names, as Kubo has it. */
export const NS_MAP = 'IPFS_NS_MAP'

/**
 * Names that lead to a path whatever records say: those of the setting, and over them those of the environment, `name:path,name:path`.
 *
 * @throws E_NAME_FIXED, which names the setting or the variable
 */
export function fixedNames(setting: Readonly<Record<string, string>>, environment: string | undefined): ReadonlyMap<string, string> {
  const fixed = new Map<string, string>()
  for (const [name, path] of Object.entries(setting)) fixed.set(name, pathOf('plugins.name.fixed', name, path))
  for (const pair of (environment ?? '').split(',').filter(part => part.trim() !== '')) {
    const at = pair.indexOf(':')
    const [name, path] = at < 0 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    fixed.set(name, pathOf(NS_MAP, name, path))
  }
  return fixed
}

function pathOf(where: string, name: string, path: string): string {
  try {
    return parseAbsolutePath(path).text
  } catch (error) {
    throw nameErrors.E_NAME_FIXED(where, name, messageOf(error))
  }
}
