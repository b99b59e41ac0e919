/**
 * The default store: keys and small blocks in an embedded RocksDB (`<repo>/db`), larger blocks in files of their own (`<repo>/blocks`, in
 * the layout of Kubo's flatfs). A reference repo's block files are taken over as they lie there.
 *
 * ```yaml
 * plugins:
 *   storage-rocksdb: { inlineUpTo: 8192 }
 * ```
 *
 * @packageDocumentation
 */
import { inject, injectable } from 'tsyringe'
import { Blockstore, Datastore, plugin, Repo, Settings, service } from '../../core/index.ts'
import { RocksBlockstore } from './blockstore.ts'
import { RocksDatastore } from './datastore.ts'
import { storageErrors } from './errors.ts'
import { type StorageSettings, storageSettings } from './settings.ts'
import { SharedStorage, Storage } from './storage.ts'

@injectable()
class RepoStorage extends Storage {
  readonly #hasFolder: boolean

  constructor(@inject(Repo) repo: Repo, @inject(Settings) settings: StorageSettings) {
    super(repo.path ?? '', settings)
    this.#hasFolder = repo.path !== undefined
  }

  /** @throws E_STORAGE_NO_REPO, and what {@link Storage.open} throws */
  override async open(): Promise<void> {
    if (!this.#hasFolder) throw storageErrors.E_STORAGE_NO_REPO()
    await super.open()
  }
}

export default plugin({
  name: 'storage-rocksdb',
  api: '^1',
  about: 'Keeps keys and small blocks in RocksDB and larger blocks in files, in the repo.',
  settings: storageSettings,
  requires: [Repo],
  provides: [service(Blockstore, RocksBlockstore), service(Datastore, RocksDatastore)],
  internal: [service(SharedStorage, RepoStorage)],
  errors: storageErrors
})
