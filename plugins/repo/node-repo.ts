import {
  type Identity,
  type Json,
  type Logger,
  type NodeConfig,
  NodeConfigModel,
  type RefusedValue,
  type Repo,
  RepoLocation,
  type Startable,
  type StorageLayers
} from '../../core/index.ts'
import { identityIn } from '../../core/repo/identity.ts'
import { isSameRefusal } from '../../core/repo/index.ts'
import { REPO_VERSION } from '../../core/repo/layout.ts'
import { refuseOtherLayers } from '../../core/repo/layouts.ts'
import { dialable } from './addresses.ts'
import { EffectiveConfig } from './config.ts'
import { newConfig } from './create.ts'
import { repoErrors } from './errors.ts'
import { Folder, type Listener } from './folder.ts'

/** The configuration file as it was read, and which writing of it that is. */
interface LoadedConfig {
  readonly config: NodeConfig
  readonly stamp: string
  readonly effective: EffectiveConfig
  /** Values of it that fit no key. */
  readonly refused: readonly RefusedValue[]
}

/** The repo: a folder, or memory alone where the host names none. */
export class NodeRepo implements Repo, Startable {
  readonly version = REPO_VERSION
  readonly path: string | undefined
  readonly #location: RepoLocation
  readonly #model: NodeConfigModel
  readonly #layers: StorageLayers
  #folder: Folder | undefined
  #loaded: LoadedConfig | undefined
  /** Whether the configuration has still to be written, with which a new repo is complete. */
  #isDraft = false
  #isNew = false
  #identity: Identity | undefined
  #writes: Promise<unknown> = Promise.resolve()

  readonly #log: Pick<Logger, 'error'> | undefined

  constructor(location: RepoLocation, model: NodeConfigModel, layers: StorageLayers, log?: Pick<Logger, 'error'>) {
    this.#log = log
    this.path = location.path
    this.#location = location
    this.#model = model
    this.#layers = layers
  }

  get identity(): Identity {
    if (this.#identity === undefined) throw repoErrors.E_REPO_CLOSED()
    return this.#identity
  }

  get isNew(): boolean {
    return this.#isNew || this.path === undefined
  }

  async start(): Promise<void> {
    const { path, init, mends = false } = this.#location
    if (path === undefined) this.#loaded = this.#load(await newConfig(this.#model, init ?? {}), '')
    else await this.#open(path, this.#location)
    try {
      this.#identity = identityIn(this.#current.config, this.#where, { ofKeyAlone: mends })
    } catch (error) {
      if (!mends) throw error
    }
  }

  /**
   * A new repo is there once everything that is to work with it has started.
   *
   * @throws E_REPO_EXISTS when somebody who could not be seen made one in the same folder meanwhile
   */
  async afterStart(): Promise<void> {
    await this.#inOrder(async () => {
      if (this.#isDraft && (await this.#folder?.isInitialised())) throw repoErrors.E_REPO_EXISTS()
      await this.#folder?.noteLayers(this.#layers)
      if (!this.#isDraft) return
      await this.#folder?.initialise(this.#model.print(this.#current.config))
      this.#isDraft = false
      this.#loaded = this.#load(this.#current.config, this.#folder?.configStamp() ?? '')
    })
  }

  async stop(): Promise<void> {
    await this.#writes
    await this.#folder?.close()
    this.#folder = undefined
    this.#loaded = undefined
  }

  config({ withRefused = this.#location.mends ?? false }: { readonly withRefused?: boolean } = {}): NodeConfig {
    this.#refresh()
    const { config, refused } = this.#current
    if (!withRefused && refused.length > 0) throw refused[0]!
    return config
  }

  get<T extends Json = Json>(key: string): T | undefined {
    return this.#current.effective.get(key) as T | undefined
  }

  replaceConfig(next: NodeConfig): Promise<void> {
    return this.updateConfig(() => next)
  }

  updateConfig(
    change: (current: NodeConfig) => NodeConfig | Promise<NodeConfig>,
    { backup, mends }: { readonly backup?: string; readonly mends?: boolean } = {}
  ): Promise<void> {
    return this.#inOrder(async () => {
      let next: NodeConfig
      let stamp: string
      do {
        const current = this.config(mends ? { withRefused: true } : {})
        stamp = this.#current.stamp
        next = await change(current)
      } while (!this.#isDraft && this.#folder !== undefined && this.#folder.configStamp() !== stamp)
      this.#checkMended(this.#current.refused, next)
      const text = this.#model.print(next, { sorted: true })
      if (backup !== undefined) await this.#backup(backup)
      if (!this.#isDraft) await this.#folder?.writeConfig(text)
      this.#loaded = this.#parsed(text, this.#folder?.configStamp() ?? '')
    })
  }

  backupConfig(prefix: string): Promise<string | undefined> {
    return this.#inOrder(() => this.#backup(prefix))
  }

  async forgetStorage(service: string): Promise<void> {
    await this.#inOrder(async () => this.#folder?.forgetLayers(service))
  }

  async storageOpened(): Promise<void> {
    await this.#folder?.confirm()
  }

  async announce(listener: Listener, address: string): Promise<void> {
    await this.#folder?.announce(listener, dialable(address))
  }

  async diskUsage(options?: { but?: string; signal?: AbortSignal }): Promise<bigint> {
    return (await this.#folder?.diskUsage(options)) ?? 0n
  }

  async #open(path: string, { init, readsOnly = false, mends = false }: RepoLocation) {
    const folder = await Folder.open(path, { create: init !== undefined, readsOnly, layers: this.#layers, log: this.#log })
    try {
      const isNew = !(await folder.isInitialised())
      if (isNew && init === undefined) throw repoErrors.E_REPO_ABSENT(path)
      if (!isNew && init?.mustBeNew) throw repoErrors.E_REPO_EXISTS()
      if (!isNew) await folder.checkVersion()
      await refuseOtherLayers(path, this.#layers)
      const stamp = folder.configStamp()
      const text = isNew ? this.#model.print(await newConfig(this.#model, init ?? {})) : await folder.readConfig()
      this.#loaded = mends ? this.#toMend(text, stamp, folder) : this.#load(this.#model.parse(text, folder.configFile), stamp)
      if (!mends) this.#model.checkStart(this.#loaded.config, folder.configFile)
      this.#isDraft = isNew
      this.#isNew = isNew
      this.#folder = folder
    } catch (error) {
      await folder.close()
      throw error
    }
  }

  /** The file may be edited while the node runs; what a command shows or changes is what stands there now. */
  #refresh() {
    const folder = this.#folder
    if (folder === undefined) return
    const stamp = folder.configStamp()
    if (stamp === this.#current.stamp) return
    this.#loaded = this.#parsed(folder.readConfigNow(), stamp)
  }

  /** A file that was read again: where values of it are refused, what the node works with stays as it was until they are mended. */
  #parsed(text: string, stamp: string): LoadedConfig {
    const refused: RefusedValue[] = []
    const config = this.#model.parse(text, this.#where, value => refused.push(value))
    return refused.length === 0 ? this.#load(config, stamp) : { config, stamp, refused, effective: this.#current.effective }
  }

  /** A file that nothing could start with; of one that cannot be read at all the fault is told when it is asked for. */
  #toMend(text: string, stamp: string, folder: Folder): LoadedConfig {
    const refused: RefusedValue[] = []
    try {
      const config = this.#model.parse(text, folder.configFile, value => refused.push(value))
      return this.#load(config, stamp, refused)
    } catch {
      return this.#load({}, '')
    }
  }

  /** @throws E_CONFIG_TYPE for a value that is refused and was not there, E_CONFIG_VALUE where no value is mended */
  #checkMended(before: readonly RefusedValue[], next: NodeConfig): void {
    let left = 0
    this.#model.typed(next, value => {
      if (!before.some(one => isSameRefusal(one, value))) throw value
      left++
    })
    if (before.length > 0 && left >= before.length) throw before[0]!
  }

  async #backup(prefix: string): Promise<string | undefined> {
    return this.#isDraft ? undefined : this.#folder?.backupConfig(prefix)
  }

  #load(config: NodeConfig, stamp: string, refused: readonly RefusedValue[] = []): LoadedConfig {
    const effective = new EffectiveConfig(this.#model, config, this.#location.overrides ?? {}, refused)
    return { config, stamp, refused, effective }
  }

  get #current(): LoadedConfig {
    if (this.#loaded === undefined) throw repoErrors.E_REPO_CLOSED()
    return this.#loaded
  }

  get #where(): string {
    return this.#folder?.configFile ?? 'the configuration in memory'
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work)
    this.#writes = done.catch(() => {})
    return done
  }
}
