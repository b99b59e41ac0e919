import { z } from 'zod'
import { atLevel, type Command, command, DEFAULT_LEVEL, either, nothing, type Plugin, p, plugin, stream, value } from '../../core/index.ts'
import hello from '../../examples/hello.ts'
import { catalogue } from '../../plugins/catalogue.ts'
import { echoing } from './plugin.ts'

interface Tree {
  Name: string
  Children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ Name: z.string(), Children: z.array(z.lazy(() => tree)) })

/** A third party's plugin that uses everything a declaration can say. */
export const third: Plugin = plugin({
  name: 'acme-shapes',
  api: '^1',
  about: 'One command for each shape.',
  status: 'experimental',
  settings: z.strictObject({ depth: z.int().min(1).default(3).describe('How deep it looks.') }),
  commands: [
    command.write('acme/everything', {
      status: 'deprecated',
      help: 'Every kind of option.',
      args: { firstPath: p.contentPath('Where to start.'), others: p.string('More.').many().optional().fromBody() },
      options: {
        aFlag: p.bool('A flag.').alias('f', 'old-flag').default(true),
        small: p.int('A number.').default(-1),
        count: p.uint('A count.'),
        signed: p.int64('A large number.').default(5n),
        size: p.uint64('A size.'),
        ratio: p.float('A ratio.').default(0.5),
        wait: p.duration('A time.').default(1_000_000_000n),
        root: p.cid('A CID.'),
        tags: p.string('Tags.').many().alias('t'),
        mode: p.string('A mode.').oneOf('fast', 'slow').default('fast'),
        strange: p.string('Another name on the wire.').wire('Strange_Name')
      },
      reply: value(
        z.object({
          Text: z.string(),
          Large: z.bigint().meta({ go: 'uint64' }),
          Either: z.union([z.int(), z.bigint()]).meta({ go: 'uint64' }),
          Link: z.object({ '/': z.string() }).optional(),
          Kinds: z.record(z.string(), z.array(z.int().meta({ xml: 'Kind', string: () => 'x' }))),
          Time: z.date(),
          Nothing: z.null(),
          Tree: tree
        })
      ),
      run: () => ({
        Text: 'text',
        Large: 18_446_744_073_709_551_615n,
        Either: 9_007_199_254_740_993n,
        Link: { '/': 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn' },
        Kinds: { a: [1] },
        Time: new Date(0),
        Nothing: null,
        Tree: { Name: 'a', Children: [{ Name: 'b', Children: [] }] }
      })
    }),
    command.read('acme/tree', {
      help: 'A shape that contains itself, one after the other.',
      options: { count: p.int('How many.').default(2) },
      reply: stream(tree),
      async *run(_, { options }) {
        for (let i = 0; i < options.count; i++) yield { Name: String(i), Children: [] }
      }
    }),
    command.read('acme/either', {
      help: 'One object, or several.',
      options: { progress: p.bool('Several.') },
      reply: either(z.object({ Done: z.boolean() }), z.object({ Part: z.int() })),
      run: (_, { options }) => (options.progress ? parts() : { Done: true })
    }),
    echoing('acme/echo'),
    command.admin('acme/silent', { status: 'experimental', help: 'Nothing.', reply: nothing(), run: () => {} }),
    command.read('acme/beside', { help: 'Only beside a terminal.', local: true, reply: nothing(), run: () => {} })
  ]
})

async function* parts() {
  yield { Part: 1 }
  yield { Part: 2 }
}

/** Every plugin that is written: the built-ins, whether they are on or off by default, and third parties'. */
export async function declaredPlugins(): Promise<Plugin[]> {
  const builtIns = await Promise.all(catalogue.map(async ({ load }) => (await load()).default))
  const all = [...builtIns, hello, third]
  return all.map(one => ({ ...one, commands: one.commands.map(each => atLevel(each, DEFAULT_LEVEL)) }))
}

/** All commands of {@link declaredPlugins}. */
export async function declaredCommands(): Promise<Command[]> {
  const all = (await declaredPlugins()).flatMap(({ commands }) => commands)
  const present = new Set(all.filter(({ status }) => status !== 'removed').map(({ path }) => path))
  // as on a host: what only says that it is gone gives way
  return all.filter(({ status, path }) => status !== 'removed' || !present.has(path))
}
