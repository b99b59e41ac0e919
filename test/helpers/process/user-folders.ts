/**
 * Gives a test process, and what it starts, a user's folders of their own: what is remembered of trusted folders, and the user's own
 * configuration. AVA loads this before every test file.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrustedFolders } from '../../../host/cli/trust/folders.ts'
import { stateFolder } from '../../../host/cli/trust/places.ts'

const home = mkdtempSync(join(tmpdir(), 'holdfast-user-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

/** The variables that name them. */
export const userFolders = { XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') }
Object.assign(process.env, userFolders)
// what tests write is loaded again, which it would not be where others can write it
process.umask(0o022)

/** Has commands find their configuration in a folder, as `holdfast trust` does. */
export async function trustFolder(folder: string): Promise<void> {
  await new TrustedFolders(stateFolder({ env: userFolders })).add(folder)
}
