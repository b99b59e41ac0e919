/**
 * Key pairs by name: each a file in the repo's folder `keystore`, as the reference keeps them, encrypted where a passphrase is given.
 *
 * @packageDocumentation
 */
import { join } from 'node:path'
import { HeldInputs } from '../../core/body/index.ts'
import { Keys, Log, plugin, Repo, service } from '../../core/index.ts'
import { exportKey } from './commands/export.ts'
import { gen } from './commands/gen.ts'
import { importKey } from './commands/import.ts'
import { list, ls } from './commands/list.ts'
import { rename } from './commands/rename.ts'
import { rm } from './commands/rm.ts'
import { rotate } from './commands/rotate.ts'
import { sign } from './commands/sign.ts'
import { verify } from './commands/verify.ts'
import { keysErrors } from './errors.ts'
import { MemoryFiles } from './files.ts'
import { FolderFiles } from './folder.ts'
import { passphrase } from './passphrase.ts'
import { SealedFiles } from './sealed-files.ts'
import { KeyInputs, KeysSettings, keysSettings } from './settings.ts'
import { KeyStore } from './store.ts'

export default plugin({
  name: 'keys',
  api: '^1',
  about: 'Key pairs by name: made, taken in, renamed and removed; signatures with them.',
  settings: keysSettings,
  provides: [
    service(Keys, {
      needs: { repo: Repo, settings: KeysSettings, log: Log },
      make({ repo, settings, log }) {
        const files = repo.path === undefined ? new MemoryFiles() : new FolderFiles(join(repo.path, 'keystore'), log)
        return new KeyStore(new SealedFiles(files, () => passphrase(settings.passphraseFile, process.env, settings.passphrase)), repo)
      }
    })
  ],
  internal: [
    service(KeyInputs, { needs: { settings: KeysSettings }, make: s => new HeldInputs(s.settings.maxInputs, 'plugins.keys.maxInputs') })
  ],
  commands: [exportKey, gen, importKey, list, ls, rename, rm, rotate, sign, verify],
  errors: keysErrors
})
