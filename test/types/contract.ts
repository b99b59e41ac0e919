/** Compile-time tests: every `@ts-expect-error` below must be an error, and everything else must not. Nothing here runs. */
import { z } from 'zod'
import {
  bytes,
  command,
  either,
  files,
  listener,
  listenerSettings,
  nothing,
  optional,
  p,
  plugin,
  route,
  service,
  settings,
  stream,
  token,
  value
} from '../../core/index.ts'

interface Greeter {
  greet(name: string): string
}
const Greeter = token<Greeter>('test-greeter')
class Loud implements Greeter {
  greet(name: string) {
    return name.toUpperCase()
  }
}
class Wrong {
  greet(name: number) {
    return name
  }
}

const shape = z.object({ Message: z.string(), Count: z.int().optional() })

export const good = command.read('greet/one', {
  help: 'Greets.',
  needs: { greeter: Greeter, maybe: optional(Greeter) },
  args: { name: p.string('Whom.'), others: p.string('More.').many().optional() },
  options: {
    loud: p.bool('Shout.').default(false),
    times: p.int('How often.').alias('n'),
    since: p.duration('Since when.'),
    id: p.cid('A CID.'),
    tags: p.string('Tags.').many()
  },
  reply: value(shape),
  text: item => item.Message,
  run({ greeter, maybe }, { args, options, body, signal }) {
    const loud: boolean = options.loud
    const times: number | undefined = options.times
    const since: bigint | undefined = options.since
    const tags: readonly string[] = options.tags
    const others: readonly string[] = args.others
    const none: undefined = body
    signal.throwIfAborted()
    void [loud, since, tags, others, none, maybe?.greet(args.name), options.cidBase, options.id?.toV1()]
    return { Message: greeter.greet(args.name), Count: times }
  }
})

command.read('greet/all', {
  help: 'Greets.',
  needs: { greeter: Greeter, maybe: optional(Greeter) },
  args: { name: p.string('Whom.') },
  options: { loud: p.bool('Shout.') },
  reply: stream(shape),
  // @ts-expect-error no such member in an item
  text: item => item.Massage,
  async *run({ greeter, maybe }, { args, options }) {
    // @ts-expect-error no such option
    void options.lowd
    // @ts-expect-error no such argument
    void args.nam
    // @ts-expect-error an optional service may be absent
    maybe.greet('x')
    // @ts-expect-error no such method on the service
    greeter.shout('x')
    yield { Message: 'hello' }
  }
})

// @ts-expect-error a service that was not asked for
command.read('a', { help: '', needs: { greeter: Greeter }, reply: nothing(), run: ({ pins }) => pins })
// @ts-expect-error the reply's member is a string
command.read('a', { help: '', reply: value(shape), run: () => ({ Message: 1 }) })
// @ts-expect-error a member of the reply is missing
command.read('a', { help: '', reply: value(shape), run: () => ({ Count: 1 }) })
// @ts-expect-error a stream is no single value
command.read('a', { help: '', reply: stream(shape), run: () => ({ Message: '' }) })
const objects = async function* () {
  yield { Message: '' }
}
// @ts-expect-error octets are no objects
command.read('a', { help: '', reply: bytes(), run: objects })
command.read('a', {
  help: '',
  options: { one: p.bool('') },
  reply: either(shape, z.object({ Part: z.int() })),
  text: item => ('Part' in item ? `${item.Part}` : item.Message),
  run: (_, { options }) => (options.one ? { Message: '' } : parts())
})
const parts = async function* () {
  yield { Part: 1 }
}
// @ts-expect-error one object has the first shape
command.read('a', { help: '', reply: either(shape, shape), run: () => ({ Part: 1 }) })
// @ts-expect-error nothing is nothing
command.read('a', { help: '', reply: nothing(), run: () => ({ Message: '' }) })
// @ts-expect-error no such access
command.root('a', { help: '', reply: nothing(), run: () => {} })
// @ts-expect-error the constructor says the access
command.read('a', { access: 'admin', help: '', reply: nothing(), run: () => {} })
// @ts-expect-error a constructor is named
command({ path: 'a', access: 'read', help: '', reply: nothing(), run: () => {} })
// @ts-expect-error no such status
command.read('a', { status: 'old', help: '', reply: nothing(), run: () => {} })
// @ts-expect-error a default of the wrong type
p.int('').default('1')

command.write('take', {
  help: 'Takes files.',
  body: files('data'),
  reply: nothing(),
  async run(_, { body }) {
    for await (const part of body) {
      // @ts-expect-error no such member of a part
      void part.filename
      void part.path
    }
  }
})

plugin({
  name: 'greeters',
  api: '^1',
  about: 'Greets.',
  requires: [optional(Greeter)],
  provides: [service(Greeter, Loud)],
  commands: [good]
})
// @ts-expect-error the class does not do what the token promises
service(Greeter, Wrong)
service(Greeter, { needs: { other: optional(Greeter) }, make: ({ other }) => other ?? new Loud() })
// @ts-expect-error what is made does not do what the token promises
service(Greeter, { make: () => new Wrong() })
// @ts-expect-error a service that was not asked for
service(Greeter, { needs: { other: Greeter }, make: ({ greeter }) => greeter })
// @ts-expect-error an optional service may be absent
service(Greeter, { needs: { other: optional(Greeter) }, make: ({ other }) => other })
const place = z.strictObject(listenerSettings(8090))
listener({ name: 'greetings', help: 'Greets.', needs: { at: settings<typeof place>() }, at: ({ at }) => at })
// @ts-expect-error a listener has a port
listener({ name: 'greetings', help: 'Greets.', at: () => ({ address: '::1' }) })
route({
  listener: 'greetings',
  method: 'GET',
  path: '/',
  help: 'Greets.',
  needs: { greeter: Greeter },
  // @ts-expect-error no such method on the service
  handle: ({ greeter }, _, response) => void response.end(greeter.shout('x'))
})
route({
  listener: 'greetings',
  method: 'GET',
  path: '/of/:kind/:name/*',
  host: ':cid.ipfs.example.net',
  help: 'Greets.',
  handle: (_, __, response, { params }) => void response.end(params.kind + params.name + params['*'] + params.cid)
})
// @ts-expect-error the path has no such parameter
route({ listener: 'x', method: 'GET', path: '/:name', help: '', handle: (_, __, response, { params }) => void response.end(params.nmae) })
// @ts-expect-error a route does something
route({ listener: 'x', method: 'GET', path: '/', help: '' })
route({
  listener: 'x',
  method: 'GET',
  path: '/:room',
  help: '',
  needs: { greeter: Greeter },
  // @ts-expect-error no such method on the service
  upgrade: { protocol: 'websocket', handle: ({ greeter }, _, socket, __, { params }) => void socket.end(greeter.shout(params.room)) }
})
// @ts-expect-error a plugin has a name
plugin({ api: '^1', about: '' })
