/** Small plugins that the tests of the host are made of. */
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import {
  type Command,
  command,
  nothing,
  type Plugin,
  p,
  plugin,
  ready,
  type Startable,
  service,
  stream,
  type Token,
  token,
  value
} from '../../core/index.ts'
import { createHost } from '../../host/create.ts'
import { type NodeHost } from '../../host/host.ts'
import { type HostOptions } from '../../host/options.ts'

export interface Counter {
  up(by: number): number
}
export const Counter: Token<Counter> = token<Counter>('test-counter')

export class MemoryCounter implements Counter {
  #count = 0

  up(by: number) {
    this.#count += by
    return this.#count
  }
}

const count = z.object({ Count: z.int() })

export const counterPlugin: Plugin = plugin({
  name: 'counter',
  api: '^1',
  about: 'Counts.',
  provides: [service(Counter, MemoryCounter)],
  commands: [
    command.write('count/up', {
      help: 'Counts on.',
      needs: { counter: Counter },
      args: { by: p.int('How far.') },
      options: { twice: p.bool('Do it twice.') },
      reply: value(count),
      run: ({ counter }, { args, options }) => ({ Count: counter.up(options.twice ? args.by * 2 : args.by) })
    }),
    command.read('count/to', {
      help: 'Counts from one.',
      args: { end: p.int('The last.') },
      reply: stream(count),
      async *run(_, { args }) {
        for (let n = 1; n <= args.end; n++) yield { Count: n }
      }
    })
  ]
})

/** A service that writes down when it starts and stops. */
export const Journal = (name: string): Token<Startable> => token<Startable>(`test-journal-${name}`)

type Mishap = 'throw' | 'hang'

export function journalOf(
  name: string,
  journal: string[],
  requires: readonly string[] = [],
  mishaps: { start?: Mishap; stop?: Mishap } = {}
): Plugin {
  const act = async (what: 'start' | 'stop') => {
    journal.push(`${what} ${name}`)
    if (mishaps[what] === 'throw') throw new Error(`${name} cannot ${what}`)
    if (mishaps[what] === 'hang') await new Promise(() => {})
  }
  const living: Startable = { start: () => act('start'), stop: () => act('stop') }
  return plugin({ name, api: '^1', about: name, requires: requires.map(Journal), provides: [ready(Journal(name), living)] })
}

/** A command that never ends and never listens. */
export const hanging: Plugin = plugin({
  name: 'hanging',
  api: '^1',
  about: 'Hangs.',
  commands: [command.read('hang', { help: 'Hangs.', reply: nothing(), run: () => new Promise<void>(() => {}) })]
})

/** A host without built-ins. */
export const bare = (options: HostOptions = {}): Promise<NodeHost> => createHost({ catalogue: [], ...options })

/** One that runs until the test ends. */
export async function running(t: ExecutionContext, options?: HostOptions): Promise<NodeHost> {
  const host = await bare(options)
  t.teardown(() => host.stop())
  await host.start()
  return host
}

/** A service whose making fails. */
export const unmade = <T extends object>(token: Token<T>, message: string) =>
  service(token, {
    make: (): T => {
      throw new Error(message)
    }
  })

/** A command that answers one text. */
export const answer = (path: string, text: string): Command =>
  command.read(path, { help: '', reply: value(z.object({ Text: z.string() })), run: () => ({ Text: text }) })

/** What a host says that cannot be made or started. */
export async function failure(t: ExecutionContext, options: HostOptions): Promise<string> {
  return (await t.throwsAsync(async () => (await bare(options)).start())).message
}
