/** Compile-time tests of the typed client: every `@ts-expect-error` below must be an error, and everything else must not. Nothing here runs. */
import { type CommandOf, createClient } from 'holdfast/client'
import { CID } from 'multiformats/cid'
import { z } from 'zod'
import { bytes, command, either, files, nothing, p, stream, value } from '../../core/index.ts'

const hello = command.read('test/hello', {
  help: 'Greets.',
  args: { name: p.string('Whom.'), root: p.cid('A CID.').optional() },
  options: { loud: p.bool('Shout.').alias('l'), size: p.uint64('A size.'), tags: p.string('Tags.').many(), wait: p.duration('A time.') },
  reply: value(z.object({ Message: z.string(), Large: z.bigint(), Time: z.date(), Cid: z.instanceof(CID), Maybe: z.string().optional() })),
  run: () => ({ Message: '', Large: 1n, Time: new Date(), Cid: CID.parse('Qm'), Maybe: undefined })
})
const counted = command.read('test/count', {
  help: '',
  reply: stream(z.object({ N: z.int() })),
  async *run() {
    yield { N: 1 }
  }
})
const both = command.read('test/both', {
  help: '',
  reply: either(z.object({ Done: z.boolean() }), z.object({ Part: z.int() })),
  run: () => ({ Done: true })
})
const echo = command.read('test/echo', {
  help: '',
  body: files('data'),
  reply: bytes(),
  async *run() {
    yield new Uint8Array()
  }
})
const silent = command.read('test/silent', { help: '', reply: nothing(), run: () => {} })

declare module 'holdfast/client' {
  interface Commands {
    'test/hello': CommandOf<typeof hello>
    'test/count': CommandOf<typeof counted>
    'test/both': CommandOf<typeof both>
    'test/echo': CommandOf<typeof echo>
    'test/silent': CommandOf<typeof silent>
  }
}

const cid = CID.parse('bafkqaaa')

export async function builtIn(): Promise<void> {
  const client = createClient({ url: 'http://127.0.0.1:5001', headers: { authorization: '' } })
  const { Version } = await client.call('version')
  const text: string = Version
  await client.call('pin/add', { args: { ipfsPath: [cid, '/ipfs/x'] }, options: { name: text, offline: true, cidBase: 'base32' } })
  await client.call('pin/update', { args: ['a', cid] })
  for await (const { Name, Size } of await client.call('add', { body: [{ path: 'a', content: 'b' }] })) {
    const name: string = Name
    const size: string | undefined = Size
    void [name, size]
  }
  for await (const chunk of await client.call('cat', { args: [cid], signal: new AbortController().signal })) chunk.subarray(1)
  const pins = await client.call('pin/ls')
  if (Symbol.asyncIterator in pins) for await (const { Cid } of pins) Cid.slice()
  else Object.keys(pins.Keys ?? {})

  // @ts-expect-error there is no such command
  await client.call('pin/ad')
  // @ts-expect-error it has an argument that is not optional
  await client.call('pin/add')
  // @ts-expect-error there is no such option
  await client.call('pin/add', { args: [cid], options: { nam: 'x' } })
  // @ts-expect-error the option is a boolean
  await client.call('pin/add', { args: [cid], options: { recursive: 'yes' } })
  // @ts-expect-error there is no such argument
  await client.call('pin/add', { args: { path: ['x'] } })
  // @ts-expect-error it takes two
  await client.call('pin/update', { args: ['a'] })
  // @ts-expect-error it takes an upload
  await client.call('add')
  // @ts-expect-error how answers are encoded is the client's own business
  await client.call('version', { options: { encoding: 'xml' } })
  // @ts-expect-error there is no such member in the answer
  void (await client.call('version')).version
  // @ts-expect-error one object is no stream
  for await (const item of await client.call('version')) void item
}

export async function thirdParty(): Promise<void> {
  const client = createClient({ commands: [hello, counted, echo] })
  const { Message, Large, Time, Cid, Maybe } = await client.call('test/hello', {
    args: { name: 'you' },
    options: { loud: true, size: 1n, tags: ['a'], wait: '10s' }
  })
  const message: string = Message
  const large: number | bigint = Large
  const time: string = Time
  const link: { '/': string } = Cid
  const maybe: string | undefined = Maybe
  void [message, large, time, link, maybe]
  await client.call('test/hello', { args: ['you', cid] })
  for await (const { N } of await client.call('test/count')) N.toFixed()
  const done = await client.call('test/both')
  if ('Done' in done) void done.Done
  for await (const chunk of await client.call('test/echo', { body: 'text' })) chunk.subarray(1)
  const none: undefined = await client.call('test/silent')
  void none

  // @ts-expect-error the argument is missing
  await client.call('test/hello')
  // @ts-expect-error there is no such option
  await client.call('test/hello', { args: ['you'], options: { lowd: true } })
  // @ts-expect-error the argument is a text
  await client.call('test/hello', { args: { name: 1 } })
  // @ts-expect-error there is no such member
  void (await client.call('test/hello', { args: ['you'] })).message
  // @ts-expect-error the upload is missing
  await client.call('test/echo')
}

export async function chosen(): Promise<void> {
  const client = createClient<{ hello: CommandOf<typeof hello> }>()
  await client.call('hello', { args: ['you'] })
  // @ts-expect-error this client knows one command
  await client.call('version')
}
