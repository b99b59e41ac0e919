import {
  Blocks,
  type Body,
  Dag,
  type Host,
  type ImportEvent,
  type ImportOptions,
  type ReadAhead,
  Repo,
  type RpcLevel,
  type UnixFs
} from '../../core/index.ts'
import { UnixFsExporter } from '../../core/unixfs/export/exporter.ts'
import { importTree } from '../../core/unixfs/import/tree.ts'
import { shardingOf } from '../../core/unixfs/sharding.ts'
import type { ContentSettings } from './settings.ts'

interface Parts {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly budget: ReadAhead | undefined
  readonly repo: Repo | undefined
  readonly settings: ContentSettings
  readonly host: Host
}

/** Since Kubo 0.42, boxo/files. */
const NEWER_ARCHIVE = { directoryMode: 0o755, timeOfLinks: true }

/** Files and directories over this host's blocks and codecs, within its limits. */
export class UnixFsEngine extends UnixFsExporter implements UnixFs {
  readonly #blocks: Blocks
  readonly #dag: Dag
  readonly #repo: Repo | undefined
  readonly #maxFolders: number
  readonly #level: RpcLevel

  constructor({ blocks, dag, budget, repo, settings, host }: Parts) {
    super({ blocks, codecs: dag, limits: { ...settings.read, budget }, archive: host.level === '0.28' ? undefined : NEWER_ARCHIVE })
    this.#blocks = blocks
    this.#dag = dag
    this.#repo = repo
    this.#maxFolders = settings.maxFolders
    this.#level = host.level
  }

  import(body: Body, options: ImportOptions): AsyncIterable<ImportEvent> {
    const sharding = shardingOf(key => this.#repo?.get(key), this.#level)
    const hasher = this.#dag.hasher(options.hash)
    return importTree(body, { store: this.#blocks, hasher, sharding, maxFolders: this.#maxFolders }, options)
  }
}
