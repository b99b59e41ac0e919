import { homedir } from 'node:os'
import type { LoadedConfiguration } from '../../../config/host/load.ts'
import { repoPath } from '../../../config/host/repo-path.ts'

interface RepoFlags {
  readonly repo?: string
  readonly repoDir?: string
}

/** The repo's folder. */
export function folderOf(flags: RepoFlags, { configuration, folder }: LoadedConfiguration): string {
  return repoPath({
    flag: flags.repo ?? flags.repoDir,
    env: process.env,
    configured: configuration.repo,
    base: folder,
    home: homedir(),
    cwd: process.cwd()
  })
}
