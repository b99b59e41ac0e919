import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import { bytes, command, defineErrors, nothing, type Plugin, p, plugin, stream, value } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { serve, testHost } from '../../../host/testing.ts'

export interface World {
  readonly host: NodeHost
  /** Of the listener, with the path. */
  readonly url: URL
  /** A client of the SDK's own, connected. */
  connect(): Promise<Client>
}

/** A node with the plugin on, and clients that come over HTTP. */
export async function world(
  t: ExecutionContext,
  settings: Readonly<Record<string, unknown>> = {},
  plugins: readonly Plugin[] = []
): Promise<World> {
  const host = await testHost({ plugins, configuration: { plugins: { mcp: { port: 0, ...settings } } } })
  t.teardown(() => host.stop())
  const { listeners } = await serve(host)
  const url = new URL('/mcp', listeners['mcp'])
  return {
    host,
    url,
    async connect() {
      const client = new Client({ name: 'witness', version: '1.2.3' })
      await client.connect(new StreamableHTTPClientTransport(url))
      t.teardown(() => client.close())
      return client
    }
  }
}

/** The texts of an answer. */
export function textsOf(answer: unknown): string[] {
  return (answer as CallToolResult).content.map(part => (part.type === 'text' ? part.text : part.type))
}

export async function call(client: Client, name: string, input: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: input })) as CallToolResult
}

const errors = defineErrors({ E_TRY_BROKEN: { message: (after: number) => `it broke after ${after}` } })

/** Commands of every kind, and some that a node should survive. */
export const tries = plugin({
  name: 'tries',
  api: '^1',
  about: 'Commands for tests.',
  errors,
  commands: [
    command.read('try/echo', {
      help: 'Answer what was said.',
      args: { first: p.string('One.'), more: p.string('Others.').many().optional() },
      options: {
        large: p.int64('A number of 64 bits.'),
        small: p.uint('A number of 32 bits.').default(7),
        share: p.float('A number.'),
        kind: p.string('One of two.').oneOf('a', 'b').alias('k'),
        tags: p.string('Several.').many(),
        isLoud: p.bool('Aloud.')
      },
      reply: value(z.record(z.string(), z.unknown())),
      run: (_, { args, options: { large, small, share, kind, tags, isLoud, offline } }) => ({
        ...args,
        large: String(large),
        small,
        share,
        kind,
        tags,
        isLoud,
        offline
      })
    }),
    command.read('try/hang', {
      help: 'Never answer.',
      reply: nothing(),
      run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }),
    command.read('try/count', {
      help: 'Count.',
      args: { to: p.string('How far.') },
      options: { break: p.bool('Fail at the end.'), progress: p.bool('Say how far.') },
      reply: stream(z.object({ N: z.number().optional(), Done: z.number().optional() })),
      progress: {
        asks: () => ({ progress: true }),
        of: ({ Done }) => (Done === undefined ? undefined : { done: Done, total: 3, unit: 'steps', only: true })
      },
      async *run(_, { args, options }) {
        for (let n = 0; n < Number(args.to); n++) {
          if (options.progress) {
            yield { Done: n + 1 }
            await new Promise(resolve => setTimeout(resolve, 110))
          }
          yield { N: n }
        }
        if (options.break) throw errors.E_TRY_BROKEN(Number(args.to))
      }
    }),
    command.read('try/endless', {
      help: 'Octets without end.',
      reply: bytes(),
      async *run() {
        for (;;) yield new Uint8Array(65_536).fill(1)
      }
    }),
    command.write('try/remove', {
      blocks: 'removes',
      help: 'Remove nothing.',
      reply: nothing(),
      run() {}
    }),
    command.read('try/here', { local: true, help: 'Only here.', reply: nothing(), run() {} })
  ]
})
