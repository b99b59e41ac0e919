/** What tools say that they take, and what becomes of it. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import test from 'ava'
import { command, nothing, p, plugin } from '../../../core/index.ts'
import { PAGE } from '../../../plugins/mcp/tools/toolbox.ts'
import { call, tries, world } from './world.ts'

/** The tools of all pages. */
async function toolsOf(client: Client) {
  const first = await client.listTools()
  const tools = [...first.tools]
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await client.listTools({ cursor })
    tools.push(...page.tools)
    cursor = page.nextCursor
  }
  return tools
}

async function toolOf(client: Client, wanted: string) {
  return (await toolsOf(client)).find(({ name }) => name === wanted)!
}

test('a tool takes the arguments by declared name and the options by their names on the wire', async t => {
  const { connect } = await world(t, {}, [tries])
  const { inputSchema, annotations, title, description } = await toolOf(await connect(), 'try_echo')
  t.is(title, 'try echo')
  t.is(description, 'Answer what was said. Answers one JSON object.')
  t.deepEqual(annotations, { readOnlyHint: true })
  const { properties, ...schema } = inputSchema
  t.deepEqual(schema, { type: 'object', required: ['first'], additionalProperties: false })
  t.deepEqual(Object.keys(properties!), [
    'first',
    'more',
    'offline',
    'cid-base',
    'upgrade-cidv0-in-output',
    'timeout',
    'large',
    'small',
    'share',
    'kind',
    'tags',
    'is-loud'
  ])
  t.like(properties, {
    first: { type: 'string', description: 'One.' },
    more: { type: 'array', items: { type: 'string' } },
    large: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }] },
    small: { type: 'integer', minimum: 0, maximum: 4294967295, default: 7 },
    share: { type: 'number' },
    kind: { type: 'string', enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' } },
    'is-loud': { type: 'boolean' }
  } as never)
})

test('inputs reach the command as the values that they are', async t => {
  const { connect } = await world(t, {}, [tries])
  const client = await connect()
  const plain = { first: 'a b', more: ['c', ''], large: '9223372036854775807', small: 3, share: 0.5, tags: ['x', 'y'], offline: true }
  const { structuredContent } = await call(client, 'try_echo', { ...plain, 'is-loud': true })
  t.deepEqual(structuredContent, { ...plain, isLoud: true })
  t.like((await call(client, 'try_echo', { first: '-', large: -5 })).structuredContent, { large: '-5', small: 7, more: [] })
})

for (const [what, input, message] of [
  ['an unknown input', { first: 'a', loud: true }, /try_echo: there is no input 'loud'; there are: first, more, /],
  ['a missing one', {}, /try_echo: the input 'first' is required/],
  ['text in the place of a flag', { first: 'a', 'is-loud': 'yes' }, /'is-loud' has to be true or false/],
  ['a number in the place of text', { first: 1 }, /'first' has to be text/],
  ['one in the place of a list', { first: 'a', tags: 'x' }, /'tags' has to be a list, each of it text/],
  ['a fraction', { first: 'a', small: 1.5 }, /'small' has to be a whole number/],
  ['a number that JSON rounds', { first: 'a', large: 2 ** 60 }, /'large' has to be a whole number, as text where it is beyond 2\^53/],
  ['a number out of range', { first: 'a', small: 2 ** 33 }, /could not convert value "8589934592" to type "uint" \(for option "-small"\)/],
  ['files where none are taken', { first: 'a', files: [] }, /there is no input 'files'/]
] as const) {
  test(`${what} is refused by name`, async t => {
    const { connect } = await world(t, {}, [tries])
    const error = await t.throwsAsync(call(await connect(), 'try_echo', input), { message })
    t.is((error as { code?: number }).code as unknown, -32602)
  })
}

for (const [what, files, message] of [
  ['no file', [], /the input 'files' is required/],
  ['a file without content', [{ path: 'a' }], /'files\[0\]' has to be an object with either text or base64/],
  ['a file with two contents', [{ text: 'a', base64: 'YQ==' }], /either text or base64/],
  ['what is no base64', [{ text: 'a' }, { base64: '?' }], /'files\[1\]' has to be an object whose base64 is that/],
  ['another member', [{ text: 'a', name: 'b' }], /without 'name'/],
  ['a list of text', ['a'], /an object with path and text or base64/]
] as const) {
  test(`${what} is refused by its place`, async t => {
    const { connect } = await world(t, { commands: ['add'] })
    await t.throwsAsync(call(await connect(), 'add', { files }), { message })
  })
}

test('a path of a file stays within the upload', async t => {
  const { connect } = await world(t, { commands: ['add'] })
  const { content } = await call(await connect(), 'add', { files: [{ path: '../../a/../b', text: 'x' }] })
  t.is(JSON.parse((content[0] as { text: string }).text).Name, 'b')
})

test('what is not offered is not listed, and says why when it is called', async t => {
  const { connect } = await world(t, { access: 'write', commands: ['!try/**', 'try/echo', 'shutdown', 'try/here'] }, [tries])
  const client = await connect()
  const tools = await toolsOf(client)
  const names = tools.map(({ name }) => name)
  t.deepEqual(
    names.filter(name => name.startsWith('try_')),
    ['try_echo']
  )
  t.true(names.includes('shutdown') && names.includes('add'))
  t.false(names.includes('log_tail'))
  for (const [name, why] of [
    ['try_count', /the tool 'try_count' is not offered: plugins.mcp.commands leaves it out: '!try\/\*\*'/],
    ['log_tail', /the tool 'log_tail' is not offered: it takes the access 'admin', and plugins.mcp.access is 'write'/],
    ['try_here', /it is for the command line alone/],
    ['try_nothing', /there is no tool 'try_nothing'/]
  ] as const) {
    const error = await t.throwsAsync(call(client, name), { message: why })
    t.is((error as { code?: number }).code as unknown, -32602)
  }
  t.deepEqual(tools.find(({ name }) => name === 'shutdown')!.annotations, { readOnlyHint: false, destructiveHint: true })
  t.deepEqual(tools.find(({ name }) => name === 'add')!.annotations, { readOnlyHint: false, destructiveHint: false })
})

test('a list that is long comes in pages', async t => {
  const many = plugin({
    name: 'many',
    api: '^1',
    about: 'Many commands.',
    commands: Array.from({ length: 2 * PAGE }, (_, i) =>
      command.read(`many/${'long-'.repeat(12)}${i}`, {
        help: 'One.',
        args: { a: p.string('A.') },
        reply: nothing(),
        run() {}
      })
    )
  })
  const { connect } = await world(t, { commands: ['!**', 'many/**'] }, [many])
  const client = await connect()
  const names: string[] = []
  let cursor: string | undefined
  do {
    const { tools, nextCursor } = await client.listTools({ cursor })
    t.is(tools.length, PAGE)
    names.push(...tools.map(({ name }) => name))
    cursor = nextCursor
  } while (cursor !== undefined)
  t.is(new Set(names).size, 2 * PAGE)
  t.true(names.every(name => /^[a-zA-Z0-9_-]{1,64}$/.test(name)))
  t.deepEqual((await call(client, names[0]!, { a: 'x' })).content, [{ type: 'text', text: 'done' }])
  await t.throwsAsync(client.listTools({ cursor: 'nowhere' }), { message: /'nowhere' is no cursor/ })
})
