/** What `holdfast plugin check` finds, each with its remedy. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

const manifest = { name: 'holdfast-plugin-x', type: 'module', exports: './index.js', holdfast: { api: '^1' } }
const imports =
  "import { command, nothing, optional, p, plugin, route, service, stream, token, value } from 'holdfast'\nimport { z } from 'zod'\n"

interface Package {
  readonly manifest?: object | string
  /** What the module exports by default, or all of it behind the imports. */
  readonly code?: string
}

async function checked(
  t: ExecutionContext,
  { manifest: given = {}, code = "export default plugin({ name: 'x', api: '^1', about: 'X.' })" }: Package
) {
  const folder = await temporaryFolder(t)
  const root = new URL('../../../../../', import.meta.url)
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await symlink(new URL('node_modules/zod', root), join(folder, 'node_modules', 'zod'))
  await writeFile(join(folder, 'package.json'), typeof given === 'string' ? given : JSON.stringify({ ...manifest, ...given }))
  await writeFile(join(folder, 'index.js'), imports + code)
  const { code: status, out } = await commandLine(['plugin', 'check', folder])
  return { status, lines: out.trimEnd().split('\n') }
}

test('a plugin that a host would take', async t => {
  t.deepEqual(await checked(t, {}), { status: 0, lines: ['Nothing a host would refuse.'] })
})

test('what its package.json lacks', async t => {
  const found = async (given: object | string) => (await checked(t, { manifest: given })).lines
  t.deepEqual(await found({ holdfast: undefined }), [
    'package.json does not say which api it is written for: add "holdfast": { "api": "^1" }'
  ])
  t.regex((await found({ holdfast: { api: '^2' } }))[0]!, /^it is written for api '\^2', but this host offers 1\.0\.0: /)
  t.regex((await found({ holdfast: { api: 'one' } }))[0]!, /^'one' is no range of versions: /)
  t.deepEqual(await found({ exports: './dist/index.js' }), [
    "its module dist/index.js is not there: build it, or mend 'exports' in package.json"
  ])
  t.deepEqual(await found({ files: ['dist'] }), ['package.json leaves index.js out of what is published: add its folder to "files"'])
  t.regex((await found('{'))[0]!, /^package\.json cannot be read: .*: mend it$/)
})

test('what its module does when it is imported', async t => {
  const found = async (code: string) => {
    const { status, lines } = await checked(t, { code })
    t.is(status, 1)
    return lines
  }
  t.regex((await found("throw new Error('no\\nway')"))[0]!, /^it throws when it is imported: no \(\/.*\/index\.js:3\): /)
  t.regex((await found('export const x = plugin({})'))[0]!, /^its module has no default export made by plugin/)
  t.regex((await found('process.exit(7)'))[0]!, /^it ends the process when it is imported \(status 7\): /)
  t.regex(
    (await found("setInterval(() => {}, 1000)\nexport default plugin({ name: 'x', api: '^1', about: 'X.' })"))[0]!,
    /^importing it leaves something running \(Timeout\): begin it in the start of a service/
  )
  t.regex(
    (await found("export default plugin({ name: 'x', api: '^1', about: 'X.', commands: [command.read('a/', {})] })"))[0]!,
    /^it throws when it is imported: command 'a\/': a path is words/
  )
  t.regex(
    (await found("export default command({ path: 'a', access: 'write' })"))[0]!,
    /^it throws when it is imported: command 'a': write command\.write\('a', \{ … \}\), with neither 'path' nor 'access'/
  )
  t.regex(
    (await found("class Needy { constructor(log) {} }\nexport default service(token('x'), Needy)"))[0]!,
    /^it throws when it is imported: service 'x': the constructor of Needy takes parameters/
  )
})

test('what it declares', async t => {
  const code = `
const of = (path, more = {}) => command.read(path, { help: 'Does.', reply: nothing(), run() {}, ...more })
export default plugin({
  name: 'pins', api: '^2', about: '',
  settings: z.object({ bucket: z.string(), deep: z.object({ a: z.int().default(1) }).default({ a: 1 }) }),
  requires: [optional(token('test-maybe'))],
  provides: [service(token('x-thing'), { make: () => ({}) })],
  commands: [
    of('pin/ls'), of('daemon'), of('x/a'), of('x/a'),
    of('x/help', { help: ' ', args: { a: p.string('') } }),
    of('x/names', { options: { rawLeaves: p.bool('R.'), other: p.bool('O.').wire('raw-leaves'), timeout: p.string('T.'), odd: p.bool('O.').alias('a b') } }),
    of('x/needs', { needs: { a: token('test-nobody'), b: token('x-thing'), c: optional(token('test-other')) } }),
    of('x/reply', { reply: stream(z.object({ a: z.array(z.set(z.int())), b: z.custom(), c: z.map(z.string(), z.date()) })), async *run() {} })
  ],
  routes: [route({ listener: 'nowhere', method: 'GET', path: 'x', help: 'X.', handle() {} })]
})`
  const { status, lines } = await checked(t, { code })
  t.is(status, 1)
  t.deepEqual(
    lines.map(line => line.replace(/: [^:]*$/, '')),
    [
      "it is written for api '^2', but this host offers 1.0.0",
      "the name 'pins' is that of a built-in",
      "it says nothing about itself ('about')",
      'its settings take any name',
      'its settings.deep take any name',
      "its setting 'bucket' has no default (Invalid input: expected string, received undefined)",
      "the command 'pin/ls' is one of the built-in 'pins'",
      "the command line has a command 'daemon' itself",
      "the command 'x/a' is declared twice",
      "command 'x/help' has no help",
      "command 'x/help': the argument 'a' has no help",
      "command 'x/names': the options 'rawLeaves' and 'other' are both called 'raw-leaves' on the wire",
      "command 'x/names': the option 'timeout' is one that every command has",
      "command 'x/names': 'a b' is no name of an option",
      "command 'x/reply': its reply.a[]: a schema of 'set' cannot be encoded and shown",
      "command 'x/reply': its reply.b: a schema of 'custom' cannot be encoded and shown",
      "nobody provides the service 'test-nobody', which 'x/needs' needs",
      "route GET x cannot be served: the path 'x' is none: it starts with no slash: write '/x'",
      "route GET x is for the listener 'nowhere', which nobody opens"
    ]
  )
})

test('a plugin that wraps a service', async t => {
  const wraps = (token: string) => `
import { Blockstore, inner, Resources } from 'holdfast'
const Words = token('acme-words')
export default plugin({ name: 'x', api: '^1', about: 'X.', provides: [
  service(${token}, { needs: { inside: inner(${token}) }, make: ({ inside }) => inside })
], commands: [command.read('x/a', { help: 'A.', needs: { held: Resources, it: ${token} }, reply: nothing(), run() {} })] })`
  t.deepEqual(await checked(t, { code: wraps('Blockstore') }), { status: 0, lines: ['Nothing a host would refuse.'] })
  t.deepEqual(await checked(t, { code: wraps('Words') }), {
    status: 1,
    lines: [
      "nobody else provides the service 'acme-words', which the plugin wraps: make the need optional(…), or tell users in the README which plugin does"
    ]
  })
})

test('what only a host would notice', async t => {
  const code = `
const [A, B] = [token('x-a'), token('x-b')]
export default plugin({ name: 'x', api: '^1', about: 'X.', around: [], provides: [
  service(A, { make: () => ({}) }), service(A, { make: () => ({}) })
] })`
  const { status, lines } = await checked(t, { code })
  t.is(status, 1)
  t.regex(lines[0]!, /^a host refuses it: the plugin 'x' provides the service 'x-a' twice: leave one out/)
})

test('a single file is checked too, and nothing is an error', async t => {
  const example = new URL('../../../../../examples/hello.ts', import.meta.url)
  t.is((await commandLine(['plugin', 'check', example.pathname])).code, 0)
  const file = join(await temporaryFolder(t), 'mine.mjs')
  await writeFile(file, 'export const nothing = 1')
  t.is(
    (await commandLine(['plugin', 'check', file])).out,
    'its module has no default export made by plugin(…): export default plugin({ name, api, about, … })\n'
  )
  const { code, out } = await commandLine(['plugin', 'check', '/nowhere'])
  t.deepEqual([code, out], [1, 'there is nothing at /nowhere: name a package or a file\n'])
})

const modes = process.platform === 'win32' ? test.skip : test
modes('a module that others can write is not imported', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'mine.mjs')
  await writeFile(file, "/* api: '^1' */ process.exit(7)")
  await chmod(file, 0o666)
  const { code, out } = await commandLine(['plugin', 'check', file])
  t.is(code, 1)
  t.regex(out, /^.*mine\.mjs is not used: others can write it \(mode 0666\).*until then it is not imported\n$/)
})
