import { resolve } from 'node:path'
import { cliErrors } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { type Listed, TrustedFolders } from './folders.ts'
import { stateFolder } from './places.ts'

export interface TrustWords {
  readonly folder: string | undefined
  readonly list: boolean
  readonly remove: boolean
}

const STATES: Readonly<Record<Listed['state'], string>> = {
  trusted: '',
  gone: ' (not there any more)',
  replaced: ' (another folder than the one that was trusted: not loaded)'
}

/** Adds a folder to those that are trusted, takes one out, or shows them. @returns the exit status */
export async function trust({ folder, list, remove }: TrustWords, { env, cwd, stdout }: Terminal): Promise<number> {
  const folders = new TrustedFolders(stateFolder({ env }))
  if (list) {
    if (remove || folder !== undefined) throw cliErrors.E_TRUST_LIST()
    for (const { folder: path, state } of await folders.list()) stdout.write(`${path}${STATES[state]}\n`)
    return 0
  }
  const at = resolve(cwd, folder ?? '.')
  if (remove) {
    const { folder: path, was } = await folders.remove(at)
    stdout.write(`${path} ${was ? 'is no trusted folder any more.' : 'was no trusted folder.'}\n`)
    return 0
  }
  const { folder: path, isNew } = await folders.add(at)
  stdout.write(`${path} ${isNew ? 'is a trusted folder from now on.' : 'is a trusted folder already.'}\n`)
  return 0
}
