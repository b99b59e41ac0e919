import type { LoadedConfiguration } from '../../../config/host/load.ts'
import { messageOf } from '../../../core/errors.ts'
import { foreignFault } from '../../../core/files/foreign.ts'
import { chooseConfiguration, namedConfiguration } from '../configuration/choose.ts'
import type { ProgramCall } from '../programs/program.ts'
import { TrustedFolders } from './folders.ts'
import { stateFolder } from './places.ts'

/**
 * The configuration for `init` and `daemon`. Who runs one of them in a folder trusts it, and it is remembered; not so where
 * the configuration was named, as nothing of the folder is loaded then.
 *
 * @param say - told a line when the folder is new
 * @throws what is wrong with the configuration
 */
export async function trustHere({ options, terminal, commands }: ProgramCall, say: (line: string) => void): Promise<LoadedConfiguration> {
  const { cwd, env } = terminal
  const around = { file: options.config, cwd, env }
  const isNew = namedConfiguration(around) === undefined && (await remember(cwd, new TrustedFolders(stateFolder({ env })), say))
  if (isNew) return (await chooseConfiguration({ ...around, trusted: true })).loaded
  if (commands.problem !== undefined) throw commands.problem
  return commands.loaded
}

/** @returns whether its configuration was not loaded before */
async function remember(cwd: string, folders: TrustedFolders, say: (line: string) => void): Promise<boolean> {
  // of a folder that others decide over nothing is loaded: a configuration in it is an error when it is read, and without one all is well
  if (foreignFault(cwd) !== undefined) return true
  try {
    const { folder, isNew } = await folders.add(cwd)
    if (isNew)
      say(`${folder} is a trusted folder from now on: commands find their configuration and plugins there (holdfast trust --help).`)
    return isNew
  } catch (error) {
    say(`${cwd} cannot be remembered as a trusted folder, so that other commands load no configuration there: ${messageOf(error)}`)
    return true
  }
}
