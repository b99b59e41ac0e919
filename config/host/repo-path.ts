import { isAbsolute, join, resolve } from 'node:path'

interface RepoPathSources {
  /** The value of `--repo`, from `cwd`. */
  readonly flag?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The path in the host configuration, from `base`. */
  readonly configured?: string | undefined
  /** The folder of the host configuration. */
  readonly base: string
  readonly home: string
  readonly cwd: string
}

/** The repo's folder: `--repo`, else HOLDFAST_PATH, else IPFS_PATH, else the host configuration's, else `~/.holdfast`. Absolute. */
export function repoPath({ flag, env, configured, base, home, cwd }: RepoPathSources): string {
  for (const [said, from] of [
    [flag, cwd],
    [env['HOLDFAST_PATH'], cwd],
    [env['IPFS_PATH'], cwd],
    [configured, base]
  ] as const) {
    if (said) return absolute(said, from, home)
  }
  return join(home, '.holdfast')
}

function absolute(path: string, from: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(from, path)
}
