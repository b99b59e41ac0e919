import { inspect } from 'node:util'
import { nodeConfigModel } from '../../../config/node/index.ts'
import type { Binding } from '../../../core/binding/binding.ts'
import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { hasCode, withCauses } from '../../../core/errors.ts'
import {
  type AnyProvision,
  type BodyPart,
  type Call,
  type CallRequest,
  Calls,
  type Command,
  Host,
  isOptional,
  Logs,
  type NameRoute,
  Names,
  type Result,
  ready,
  tokenOf
} from '../../../core/index.ts'
import { isInitialised } from '../../../core/repo/layout.ts'
import type { HostConfiguration } from '../../configuration.ts'
import { createHost } from '../../create.ts'
import { type NodeHost } from '../../host.ts'
import type { LogOptions } from '../../logs/logs.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import { cliErrors } from '../errors.ts'
import type { KnownCommands } from '../line/known-commands.ts'
import type { Output } from '../print/output.ts'
import { bytesOf } from '../print/text.ts'
import type { Remote } from '../remote/remote.ts'
import { RemoteCalls } from '../remote/remote-calls.ts'
import type { Answer, Wanted } from '../run/answer.ts'
import { carriesCalls } from '../run/carries-calls.ts'
import type { UploadEntry, UploadSource } from '../upload/entry.ts'
import { linesOf } from '../upload/lines.ts'
import { counted } from '../upload/parts.ts'
import type { GlobalFlags } from './compose.ts'
import { Defects } from './defects.ts'
import { canDoWithout, failedPlugin, refusedConfiguration, tellOff, tellRefused, withMending } from './failed-plugin.ts'
import { callLog } from './log-environment.ts'

/** A command that no running node answers talks to nobody. */
const WHY_OFFLINE = 'no daemon answers'

export interface LocalRequest {
  readonly command: Command
  readonly binding: Binding
  readonly words: readonly string[]
  readonly pairs: ReadonlyArray<readonly [name: string, value: string]>
  readonly upload: UploadSource | undefined
  /** Lines that stand for arguments. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined
  readonly wanted: Wanted
  readonly signal: AbortSignal
  onSent(bytes: number): void
}

/** A node that works in this process, for one call. */
export class Local {
  readonly #host: NodeHost
  #unwatch: (() => void) | undefined

  /**
   * Opens the repo; for a command that needs none where there is none, or where another node holds it, an empty node in memory.
   *
   * @throws what keeps it from starting
   */
  static async open(call: Call, commands: KnownCommands, flags: GlobalFlags, stderr: Output): Promise<Local> {
    const { command } = call
    const { configuration, file, folder } = commands.loaded
    const path = folderOf(flags, commands.loaded)
    const isThere = await isInitialised(path)
    const init = isThere ? undefined : await command.newRepo?.(call, { path, model: nodeConfigModel })
    if (!isThere && init === undefined && needsNoRepo(command) && !carriesCalls(command))
      return Local.#inMemory(commands, flags, { command })
    const hostOf = (hostConfiguration: HostConfiguration, log: LogOptions, mends = false) =>
      createHost({
        configuration: hostConfiguration,
        configurationFile: file,
        base: folder,
        repo: { path, init, mends, readsOnly: readsOnly(call) && !carriesCalls(command) },
        offline: WHY_OFFLINE,
        command: onlyOne(command),
        log,
        logLevel: flags.logLevel
      })
    const host = await hostOf(configuration, callLog)
    try {
      await host.start()
    } catch (error) {
      const [failed, refused] = [failedPlugin(host), refusedConfiguration(error)]
      const told = refused !== undefined ? tellRefused(refused) : failed !== undefined ? tellOff(failed, path) : undefined
      if (told !== undefined && isThere && canDoWithout(command)) {
        // what failed is told here
        const without = await hostOf({ ...configuration, onFailure: 'continue' }, QUIET, refused !== undefined)
        await without.start()
        if (without.calls.find(command.path) !== undefined) {
          stderr.write(told)
          return new Local(without)
        }
        await without.stop()
      }
      withMending(error, host, path)
      if (!command.local || carriesCalls(command) || !isLocked(error)) throw error
      if (!isOfTheHost(command)) throw cliErrors.E_LOCAL_LOCKED(command.path.replaceAll('/', ' '))
      return Local.#inMemory(commands, flags, { command })
    }
    return new Local(host)
  }

  /**
   * An empty node in memory whose commands carry calls to a node in another process.
   *
   * @throws what keeps that node from answering
   */
  static async beside(remote: Remote, commands: KnownCommands, flags: GlobalFlags): Promise<Local> {
    let local: Local | undefined
    const calls = await RemoteCalls.to(remote, () => local!.#host.calls)
    local = await Local.#inMemory(commands, flags, { services: [ready(Calls, calls)] })
    return local
  }

  /**
   * An empty node in memory over blocks from elsewhere, that finds records of names there too.
   *
   * @throws what keeps it from starting
   */
  static async over(store: { provision: AnyProvision; route: NameRoute }, commands: KnownCommands, flags: GlobalFlags): Promise<Local> {
    const local = await Local.#inMemory(commands, flags, { services: [store.provision] })
    local.#host.service(Names)?.addRoute(store.route)
    return local
  }

  static async #inMemory(
    { loaded: { configuration, file, folder } }: KnownCommands,
    flags: GlobalFlags,
    { services = [], command }: { services?: readonly AnyProvision[]; command?: Command } = {}
  ): Promise<Local> {
    const hostOf = (onFailure: HostConfiguration['onFailure'], log: LogOptions) =>
      createHost({
        configuration: {
          ...configuration,
          onFailure,
          plugins: { ...configuration.plugins, 'storage-rocksdb': 'off', 'storage-memory': 'on' }
        },
        configurationFile: file,
        base: folder,
        repo: { path: undefined, init: {} },
        services,
        offline: WHY_OFFLINE,
        command: command && onlyOne(command),
        log,
        logLevel: flags.logLevel
      })
    const host = await hostOf(configuration.onFailure, callLog)
    try {
      await host.start()
      return new Local(host)
    } catch (error) {
      if (command === undefined || !needsNoRepo(command) || failedPlugin(host) === undefined) throw error
      // what such a command answers does not depend on a built-in plugin that failed
      const without = await hostOf('continue', QUIET)
      await without.start()
      return new Local(without)
    }
  }

  constructor(host: NodeHost) {
    this.#host = host
  }

  /** @throws what the command answers */
  async ask(request: LocalRequest): Promise<Answer> {
    const { command, binding, upload, stdin, signal, onSent } = request
    const off = this.#host.calls.whyOff(command.path)
    if (this.#host.calls.find(command.path) === undefined && off !== undefined) {
      throw cliErrors.E_COMMAND_OFF(command.path.replaceAll('/', ' '), off)
    }
    const words = [...request.words]
    if (stdin !== undefined) {
      const lines = linesOf(stdin)
      await binding.args.require(words, lines)
      await binding.args.takeLines(words, lines, Number.POSITIVE_INFINITY)
    }
    const given = binding.options.gather(request.pairs)
    const options = binding.options.formats(given, binding.options.values(given))
    const args = binding.args.values(words)
    const body = upload === undefined ? undefined : bodyOf(upload, onSent)
    const call: CallRequest = { args, options, body, signal, caller: { transport: 'process' } }
    const result = await this.#host.calls.run(command, call)
    return answerOf(result, request, { command, ...call } as unknown as Call)
  }

  /** Sees to what nobody catches, as a daemon does, until it is closed. */
  watch(stderr: Output): void {
    const host = this.#host
    const end = (error: unknown) => {
      stderr.write(`${inspect(error)}\n`)
      process.exit(1)
    }
    this.#unwatch = new Defects({ host, stop: () => void host.stop(), end }).watch()
  }

  async close(): Promise<void> {
    await this.#host.stop()
    this.#unwatch?.()
  }
}

/** The log of a host that is started again without a plugin that failed. */
const QUIET: LogOptions = { ...callLog, levels: new Map([...callLog.levels!, ['host', 'silent' as const]]) }

/** The command that the host of this process is for; undefined where calls of others come to it. */
function onlyOne(command: Command): Command | undefined {
  return carriesCalls(command) ? undefined : command
}

/** Whether a call changes nothing. A command of an older copy of this package says nothing of that. */
function readsOnly(call: Call): boolean {
  const { access, onlyReads } = call.command as Pick<Command, 'access'> & Partial<Command>
  return onlyReads?.(call) ?? access === 'read'
}

/** Services that are there without a repo. */
const OF_THE_HOST: ReadonlySet<symbol> = new Set([Host, Logs, ...OF_EVERY_PLUGIN])

export function needsNoRepo(command: Command): boolean {
  return command.local || isOfTheHost(command)
}

function isOfTheHost({ needs }: Command): boolean {
  return Object.values(needs).every(need => isOptional(need) || OF_THE_HOST.has(tokenOf(need)))
}

/** Whether another node holds the repo. */
function isLocked(error: unknown): boolean {
  return withCauses(error).some(at => hasCode(at, 'E_REPO_LOCKED'))
}

/** An upload without a wire in between. */
async function* bodyOf(upload: UploadSource, onSent: (bytes: number) => void): AsyncGenerator<BodyPart> {
  for await (const entry of upload.entries()) yield partOf(entry, onSent)
}

function partOf({ path, kind, absPath, metadata, bytes }: UploadEntry, onSent: (bytes: number) => void): BodyPart {
  return { path: `/${path}`, kind, headers: {}, absPath, metadata, bytes: () => (kind === 'file' ? counted(bytes(), onSent) : bytes()) }
}

async function answerOf(result: Result, { command, wanted }: LocalRequest, call: Call): Promise<Answer> {
  if (result.kind === 'bytes') return { kind: 'bytes', bytes: asAsync(result.bytes), length: lengthOf(result.length) }
  const items = result.kind === 'nothing' ? [] : result.kind === 'value' ? [result.value] : result.items
  if (wanted === 'items') return { kind: 'items', items: asAsync(items) }
  const { text } = command
  if (wanted === 'text' && text !== undefined) {
    const pieces = typeof text === 'function' ? mapped(items, item => text(item, call)) : text.lines(asAsync(items), call)
    return { kind: 'bytes', bytes: mapped(pieces, encoded) }
  }
  const { Encoders } = await import('../../encode/encoders.ts')
  const encoding = new Encoders(command).get(wanted)!
  const encode = result.kind === 'value' ? encoding.value : encoding.item
  return { kind: 'bytes', bytes: mapped(items, item => encoded(encode(item))) }
}

const encoded = (text: string): Uint8Array => bytesOf(text)

function lengthOf(length: number | bigint | undefined): number | undefined {
  return length === undefined ? undefined : Number(length)
}

async function* asAsync<T>(from: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* from
}

async function* mapped<T, U>(from: AsyncIterable<T> | Iterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of from) yield map(item)
}
