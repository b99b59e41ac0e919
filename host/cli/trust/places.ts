import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where a user's own files are. */
interface Home {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly platform?: NodeJS.Platform
}

/** The folder of the user's own configuration. */
export function configurationFolder({ env, home = homedir() }: Home): string {
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'holdfast')
}

/** The folder for what this program remembers for the user, beside the repo. */
export function stateFolder({ env, home = homedir(), platform = process.platform }: Home): string {
  const named = absolute(env['XDG_STATE_HOME'])
  if (named !== undefined) return join(named, 'holdfast')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'holdfast')
  if (platform === 'win32') return join(absolute(env['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local'), 'holdfast')
  return join(home, '.local', 'state', 'holdfast')
}

/** The folder for what can be made again. */
export function cacheFolder({ env, home = homedir(), platform = process.platform }: Home): string {
  const named = absolute(env['XDG_CACHE_HOME'])
  if (named !== undefined) return join(named, 'holdfast')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'holdfast')
  if (platform === 'win32') return join(absolute(env['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local'), 'holdfast', 'cache')
  return join(home, '.cache', 'holdfast')
}

/** A relative path would mean another folder wherever one is; the specification of these variables says that it does not count. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
