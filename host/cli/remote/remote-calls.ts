import {
  type Binding,
  type Body,
  type ByteCounts,
  type Call,
  type CallRequest,
  type CallSignal,
  type Calls,
  type CallValues,
  type Command,
  commonErrors,
  denial,
  type Encoding,
  type MalformedCall,
  type PluginState,
  type Result,
  type Words,
  wireName
} from '../../../core/index.ts'
import type { Answer } from '../run/answer.ts'
import type { UploadEntry, UploadSource } from '../upload/entry.ts'
import type { Remote } from './remote.ts'

/** How long a node may take to say which commands it has, in milliseconds. */
const PATIENCE = 10_000

/**
 * The calls of a node in another process: commands that are declared in this one and answer in that one. Words are bound and answers encoded
 * here; hooks, services and the list of activity are the node's.
 */
export class RemoteCalls implements Calls {
  readonly #remote: Remote
  readonly #declared: () => Calls
  readonly #there: ReadonlySet<string>

  /**
   * @param declared - the calls of a host in this process that has the same plugins; asked for when it has started
   * @throws what keeps the node from answering
   */
  static async to(remote: Remote, declared: () => Calls): Promise<RemoteCalls> {
    const states = (await remote.get('/plugins', AbortSignal.timeout(PATIENCE))) as readonly PluginState[]
    return new RemoteCalls(remote, declared, new Set(states.flatMap(({ commands }) => commands)))
  }

  private constructor(remote: Remote, declared: () => Calls, there: ReadonlySet<string>) {
    this.#remote = remote
    this.#declared = declared
    this.#there = there
  }

  find(path: string): Command | undefined {
    return this.#there.has(path) ? this.#declared().find(path) : undefined
  }

  commands(): readonly Command[] {
    return this.#declared()
      .commands()
      .filter(({ path }) => this.#there.has(path))
  }

  whyOff(path: string): string | undefined {
    return this.#declared().whyOff(path)
  }

  binding(command: Command): Binding {
    return this.#declared().binding(command)
  }

  bind(command: Command, words: Words): Promise<CallValues> {
    return this.#declared().bind(command, words)
  }

  encoding(command: Command, name: string): Encoding | undefined {
    return this.#declared().encoding(command, name)
  }

  described(command: Command, request: CallRequest): Call {
    return this.#declared().described(command, request)
  }

  malformed(command: Command, about: Pick<MalformedCall, 'error' | 'caller'>): Promise<Result> {
    return this.#declared().malformed(command, about)
  }

  report(): void {}

  byteCounts(command: Command): ByteCounts {
    return this.#declared().byteCounts(command)
  }

  async run(command: Command, { options, callerWords, body, signal, caller }: CallRequest): Promise<Result> {
    const denied = denial(caller.grant, command.access, command.path)
    if (denied !== undefined) throw denied
    const leaving = leavingOf(signal)
    const answer = await this.#remote.ask({
      path: command.path,
      words: callerWords?.words ?? [],
      pairs: this.#pairs(command, callerWords?.options ?? options),
      upload: body && uploadOf(body),
      wanted: 'items',
      octets: command.reply.kind === 'bytes',
      signal: leaving,
      userAgent: [caller.transport, caller.userAgent].filter(Boolean).join(' '),
      onSent() {}
    })
    return resultOf(command, answer)
  }

  /** The options that say something else than their defaults. */
  #pairs(command: Command, options: Readonly<Record<string, unknown>>): Array<readonly [string, string]> {
    const { entries, defaults } = this.binding(command).options
    return entries
      .filter(({ key }) => options[key] !== undefined && options[key] !== defaults[key])
      .flatMap(({ key, spec }) => [options[key]].flat().map(value => [wireName(key, spec), String(value)] as const))
  }
}

/** The signal of one call, whose reason is that the caller left. */
function leavingOf(signal: CallSignal | undefined): AbortSignal {
  const controller = new AbortController()
  const leave = () => controller.abort(commonErrors.E_CANCELLED())
  if (signal?.aborted) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  return controller.signal
}

function uploadOf(body: Body): UploadSource {
  return {
    async *entries(): AsyncGenerator<UploadEntry> {
      for await (const part of body) {
        const { path, kind, absPath } = part
        yield { path: path.replace(/^\//, ''), kind, ...(absPath === undefined ? {} : { absPath }), bytes: () => part.bytes() }
      }
    },
    total: () => undefined
  }
}

/** The answer of a node, as the declaration of its command has it. Where it may be one object or several, one that could be either is the object. */
async function resultOf({ reply }: Command, answer: Answer): Promise<Result> {
  if (answer.kind === 'bytes') return { kind: 'bytes', bytes: answer.bytes, length: answer.length, eager: false }
  if (reply.kind === 'stream') return { kind: 'stream', items: answer.items }
  const items = answer.items[Symbol.asyncIterator]()
  const first = await items.next()
  if (reply.kind === 'nothing' || first.done === true) return { kind: 'nothing' }
  const second = await items.next()
  const isObject = second.done === true && (reply.kind !== 'either' || reply.value.safeParse(first.value).success)
  return isObject ? { kind: 'value', value: first.value } : { kind: 'stream', items: rejoined(first.value, second, items) }
}

async function* rejoined<T>(first: T, second: IteratorResult<T>, others: AsyncIterator<T>): AsyncGenerator<T> {
  yield first
  if (second.done === true) return
  yield second.value
  yield* { [Symbol.asyncIterator]: () => others }
}
