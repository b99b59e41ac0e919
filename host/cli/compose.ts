import { homedir } from 'node:os'
import { type LoadedConfiguration, loadHostConfiguration } from '../../config/host/load.ts'
import { repoPath } from '../../config/host/repo-path.ts'
import type { InitOptions, LogLevel } from '../../core/index.ts'
import { createHost, type NodeHost } from '../host.ts'
import type { LogOptions } from '../logs/logs.ts'

export interface GlobalFlags {
  readonly repo?: string
  readonly repoDir?: string
  readonly config?: string
  readonly logLevel?: LogLevel
}

/** A host as this command line, its environment and the configuration found from the working directory want it. */
export async function hostFor(flags: GlobalFlags, init?: InitOptions, log?: LogOptions): Promise<NodeHost> {
  const loaded = await loadHostConfiguration({ file: flags.config, cwd: process.cwd() })
  const { configuration, file, folder } = loaded
  return createHost({
    configuration,
    configurationFile: file,
    base: folder,
    repo: { path: folderOf(flags, loaded), init },
    logLevel: flags.logLevel,
    log
  })
}

export async function repoFolder(flags: GlobalFlags): Promise<string> {
  return folderOf(flags, await loadHostConfiguration({ file: flags.config, cwd: process.cwd() }))
}

/** The repo's folder. */
export function folderOf(flags: GlobalFlags, { configuration, folder }: LoadedConfiguration): string {
  return repoPath({
    flag: flags.repo ?? flags.repoDir,
    env: process.env,
    configured: configuration.repo,
    base: folder,
    home: homedir(),
    cwd: process.cwd()
  })
}
