/**
 * The default store: keys and small blocks in an embedded RocksDB (`<repo>/db`), small writes by way of a journal (`<repo>/journal`);
 * larger blocks many to a file (`<repo>/segments`), or where the settings say so in files of their own (`<repo>/blocks`, in the layout of
 * Kubo's flatfs). Block files that a new database finds there become blocks.
 *
 * ```yaml
 * plugins:
 *   storage-rocksdb: { inlineUpTo: 8192 }
 * ```
 *
 * @packageDocumentation
 */
import {
  Blockstore,
  Datastore,
  type Fault,
  type FaultSpec,
  Health,
  type Kept,
  Log,
  type Logger,
  plugin,
  Repo,
  RepoLocation,
  type StorageLayout,
  service,
  settings
} from '../../core/index.ts'
import type { Following } from './adoption.ts'
import { RocksBlockstore } from './blocks/blockstore.ts'
import { RocksDatastore } from './database/datastore.ts'
import { storageErrors } from './errors.ts'
import type { Damage } from './journal/journal.ts'
import { noteComplete, refuseWithoutDatabase } from './pair.ts'
import { finishSalvage, forgetSalvage, salvage } from './salvage.ts'
import { type StorageSettings, storageSettings } from './settings.ts'
import { SharedStorage, Storage, type StoreFault } from './storage.ts'
import type { Mended } from './tables/mend.ts'
import { searching } from './tables/table.ts'

/** The layout of the first versions, without segments. */
const FIRST_LAYOUT: StorageLayout = {
  type: 'rocksdb',
  path: 'db',
  files: { path: 'blocks', shardFunc: '/repo/flatfs/shard/v1/next-to-last/2', type: 'flatfs' }
}

/** The layout of later versions, without a journal. */
const SECOND_LAYOUT: StorageLayout = { ...FIRST_LAYOUT, segments: { path: 'segments' } }

const NAME = 'storage-rocksdb'

const LAYOUT: StorageLayout = { ...SECOND_LAYOUT, journal: { path: 'journal' } }

const keeps = (): Kept => ({ layout: LAYOUT, takesOver: [FIRST_LAYOUT, SECOND_LAYOUT] })

/** `path`: where the broken file is kept, `at`: the byte at which it is broken, `behind`: how many batches of small writes are lost. */
const DAMAGED =
  'the last small writes were lost: the journal is broken before them, by a power loss before they were synced or by a damaged disk'

/** What is said of each fault to everybody. */
const FAULTS: Readonly<Record<StoreFault, Pick<FaultSpec, 'about' | 'fatal'>>> = {
  writes: { about: 'the store takes no writes', fatal: true },
  blocks: { about: 'the disk lost blocks that it failed to write, and what depends on them is refused' },
  space: { about: 'the disk is full, and what would be stored is refused' }
}
const MENDED = 'a bit of the database was wrong on the disk, and is right again: look at the disk'

class RepoStorage extends Storage {
  readonly #repo: Repo
  readonly #log: Logger
  #reported: Damage | undefined

  readonly #location: RepoLocation
  #prepared: Promise<void> | undefined

  constructor(repo: Repo, location: RepoLocation, settings: StorageSettings, log: Logger, health: Health) {
    const faults: Partial<Record<StoreFault, Fault>> = {}
    super(repo.path ?? '', settings, (fault, reason) => faults[fault]?.set(reason))
    for (const fault of ['writes', 'blocks', 'space'] as const) {
      const refresh = fault === 'space' ? () => this.lookAtRoom() : undefined
      faults[fault] = health.fault({ ...FAULTS[fault], name: `store-${fault}`, ...(refresh && { refresh }) })
    }
    this.#location = location
    this.#repo = repo
    this.#log = log
  }

  protected override onMended(mended: Mended): void {
    this.#log.error(mended, MENDED)
  }

  /** @throws E_STORAGE_NO_REPO, and what {@link Storage.open} throws */
  override async open(following?: Following): Promise<void> {
    const { path, isNew } = this.#repo
    if (path === undefined) throw storageErrors.E_STORAGE_NO_REPO()
    const { salvage: tell, readsOnly } = this.#location
    // A bit of a large piece of a table is looked for longer than anybody waits without a word.
    const follow = () => following?.progress?.()
    searching.subscribe(follow)
    try {
      // Both stores open it.
      this.#prepared ??= tell === undefined ? finishSalvage(path) : salvage(path, this.options, tell, follow)
      await this.#prepared
      if (!isNew) await refuseWithoutDatabase(path, NAME)
      await super.open(following, readsOnly)
    } finally {
      searching.unsubscribe(follow)
    }
    if (!this.database.isReadOnly) await forgetSalvage(path)
    await noteComplete(this.database, path, isNew)
    const { damage } = this.database
    if (damage !== undefined && damage !== this.#reported) this.#log.error(damage, DAMAGED)
    this.#reported = damage
    await this.#repo.storageOpened()
  }
}

export default plugin({
  name: NAME,
  api: '^1',
  about: 'Keeps keys and small blocks in RocksDB and larger blocks beside it, in the repo.',
  settings: storageSettings,
  provides: [
    service(Blockstore, { needs: { storage: SharedStorage }, keeps, make: s => new RocksBlockstore(s.storage) }),
    service(Datastore, { needs: { storage: SharedStorage }, keeps, make: s => new RocksDatastore(s.storage) })
  ],
  internal: [
    service(SharedStorage, {
      needs: { repo: Repo, location: RepoLocation, settings: settings<typeof storageSettings>(), log: Log, health: Health },
      make: s => new RepoStorage(s.repo, s.location, s.settings, s.log, s.health)
    })
  ],
  errors: storageErrors
})
