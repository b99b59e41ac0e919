import { isInitialised } from '../../../core/repo/layout.ts'
import { repoOf } from '../../create.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import { cliErrors } from '../errors.ts'
import type { ProgramCall } from '../programs/program.ts'
import { trustHere } from '../trust/here.ts'
import { type GlobalFlags, hostFor } from './compose.ts'
import { profilesOf, readConfig } from './daemon.ts'

export interface InitFlags extends GlobalFlags {
  readonly algorithm: string
  readonly bits?: string
  readonly emptyRepo?: string | boolean
  readonly profile?: string
  readonly defaultConfig?: string
}

/** Makes a repo, in a folder that is trusted from then on. @returns the exit status */
export async function init(flags: InitFlags, call: ProgramCall): Promise<number> {
  const { stdout, stderr } = call.terminal
  const { algorithm } = flags
  if (algorithm !== 'ed25519' && algorithm !== 'rsa') throw new Error(`unrecognized key type: ${algorithm}: use ed25519 or rsa`)
  const bits = flags.bits === undefined ? undefined : Number(flags.bits)
  if (bits !== undefined && (!Number.isInteger(bits) || bits <= 0)) throw new Error(`--bits ${flags.bits}: must be a whole number`)
  const made = {
    algorithm,
    bits,
    profiles: profilesOf(flags.profile),
    emptyRepo: String(flags.emptyRepo) !== 'false',
    config: await readConfig(flags.defaultConfig),
    mustBeNew: true
  } as const
  const loaded = await trustHere(call, line => stderr.write(`${line}\n`))
  const folder = folderOf(flags, loaded)
  if (await isInitialised(folder)) throw cliErrors.E_INIT_EXISTS(folder)
  const host = await hostFor(flags, loaded, { init: made, offline: 'init' })
  if (String(flags.emptyRepo) === 'false') stdout.write('--empty-repo=false: this node has no help files to add; the repo stays empty.\n')
  stdout.write(`generating ${algorithm.toUpperCase()} keypair...`)
  try {
    await host.start()
    const { identity, path } = repoOf(host)
    stdout.write(`done\npeer identity: ${identity.peerId}\ninitializing IPFS node at ${path}\n`)
  } catch (error) {
    stdout.write('\n')
    throw error
  } finally {
    await host.stop()
  }
  return 0
}
