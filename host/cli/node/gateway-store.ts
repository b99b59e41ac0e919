import type { CID } from 'multiformats/cid'
import { blockErrors } from '../../../core/blocks/errors.ts'
import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import {
  type Block,
  type BlockOptions,
  Blocks,
  type Command,
  Dag,
  Host,
  isOptional,
  type NameRoute,
  PathResolver,
  ready,
  tokenOf,
  UnixFs
} from '../../../core/index.ts'
import { formatName } from '../../../core/ipns/index.ts'
import { parseContentPath } from '../../../core/path/parse.ts'
import { GatewayBlocks } from '../../client/gateway/blocks.ts'
import type { CarRequest } from '../../client/gateway/download.ts'
import { keyOf } from '../../client/gateway/links.ts'
import { cliErrors } from '../errors.ts'
import type { Plan } from '../run/plan.ts'

/** Services that read content from blocks. */
const OF_BLOCKS: ReadonlySet<symbol> = new Set([Blocks, Dag, PathResolver, UnixFs, ...OF_EVERY_PLUGIN])

/** Whether a command reads nothing but blocks, so that it can be run over those of gateways; what host it runs in it may know. */
export function readsBlocks({ access, needs, body, local }: Command): boolean {
  if (access !== 'read' || body !== undefined || local) return false
  const needed = Object.values(needs).flatMap(need => (isOptional(need) || tokenOf(need) === Host ? [] : [tokenOf(need)]))
  return needed.length > 0 && needed.every(token => OF_BLOCKS.has(token))
}

/** The blocks of the gateways that a command line names, as the store of a node that has none of its own. */
export class GatewayStore implements Blocks {
  readonly #blocks: GatewayBlocks
  /** The blocks that the node in this process has made for itself as it started, by multihash. */
  readonly #made = new Map<string, Uint8Array>()

  /** @throws E_GATEWAY_ADDRESS, E_GATEWAY_COMMAND */
  constructor({ command, globals, terminal, words, line }: Pick<Plan, 'command' | 'globals' | 'terminal' | 'words' | 'line'>) {
    if (!readsBlocks(command)) throw cliErrors.E_GATEWAY_COMMAND(command.path.replaceAll('/', ' '))
    this.#blocks = new GatewayBlocks({
      gateways: globals.gateway ?? [],
      onDropped: ({ gateway, reason }) => void terminal.stderr.line(`Warning: ${gateway} is not asked any more: it ${reason}`)
    })
    for (const word of words) this.#plan(command.path, word, new Map(line.pairs))
  }

  /** Records of keys as the gateways have them, which who asks for them checks. */
  get route(): NameRoute {
    return {
      name: 'gateways',
      find: (multihash, { signal }) => this.#blocks.records(formatName(multihash), signal)
    }
  }

  /** This store in place of a node's own. */
  get provision() {
    return ready(Blocks, this)
  }

  #plan(path: string, word: string, options: ReadonlyMap<string, string>): void {
    const scope = SCOPES[path]
    if (scope === undefined) return
    let parsed: ReturnType<typeof parseContentPath>
    try {
      parsed = parseContentPath(word)
    } catch {
      // the command says what is wrong with it
      return
    }
    const { cid, root, segments } = parsed
    // what a name leads to is not known yet
    if (cid === undefined) {
      if (path !== 'ls') this.#blocks.follow(scope)
      return
    }
    const bytes = path === 'cat' ? rangeOf(options) : undefined
    this.#blocks.plan({ root: cid, path: [root, ...segments.map(encodeURIComponent)].join('/'), scope, bytes }, path !== 'ls')
  }

  async get(cid: CID, { signal, offline }: BlockOptions = {}): Promise<Uint8Array> {
    const made = this.#made.get(keyOf(cid))
    if (made !== undefined) return made
    if (offline) throw blockErrors.E_BLOCK_NOT_FOUND(cid.toString())
    return this.#blocks.get(cid, { signal })
  }

  async size(cid: CID, options?: BlockOptions): Promise<number> {
    return (await this.get(cid, options)).length
  }

  async has(cid: CID): Promise<boolean> {
    return this.#made.has(keyOf(cid))
  }

  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#made.set(keyOf(cid), new Uint8Array(bytes))
  }

  async putAll(blocks: readonly Block[]): Promise<void> {
    for (const { cid, bytes } of blocks) await this.put(cid, bytes)
  }

  async delete(cid: CID): Promise<boolean> {
    return this.#made.delete(keyOf(cid))
  }

  async *list(): AsyncGenerator<CID> {}

  close(): void {
    this.#blocks.close()
  }
}

/** The part of a graph that commands read, as gateways call it. */
const SCOPES: Readonly<Record<string, CarRequest['scope']>> = { get: 'all', 'dag/export': 'all', cat: 'entity', ls: 'entity' }

/** The bytes of the first file that `cat` reads; undefined for all. */
function rangeOf(options: ReadonlyMap<string, string>): string | undefined {
  const value = (long: string, short: string) => Number(options.get(long) ?? options.get(short) ?? 'NaN')
  const [offset, length] = [value('offset', 'o'), value('length', 'l')]
  if (!(offset >= 0) && !(length > 0)) return undefined
  const from = offset >= 0 ? offset : 0
  return `${from}:${length > 0 ? from + length - 1 : '*'}`
}
