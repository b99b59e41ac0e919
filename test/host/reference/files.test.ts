import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { z } from 'zod'
import { environment } from '../../../config/host/environment.ts'
import { hostSchema } from '../../../config/host/schema.ts'
import { namesOf } from '../../../core/index.ts'
import { referenceFiles } from '../../../host/reference/files.ts'
import { groupPage } from '../../../host/reference/group-page.ts'
import { indexPage } from '../../../host/reference/index-page.ts'
import { settingRows } from '../../../host/reference/settings-table.ts'
import { typeText } from '../../../host/reference/type-text.ts'
import { declaredPlugins } from '../../helpers/declared.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('what is generated is as the declarations have it; else `npm run docs` and a commit mend it', async t => {
  const files = await referenceFiles()
  for (const [path, text] of files) {
    const there = await readFile(root + path, 'utf8').catch(() => '')
    t.true(there === text, `${path} is stale: run npm run docs`)
  }
  const pages = (await readdir(`${root}docs/commands`)).map(name => `docs/commands/${name}`)
  t.deepEqual(
    pages.filter(page => !files.has(page)),
    [],
    'pages of groups that are gone: run npm run docs'
  )
})

test('every command stands on the page of its plugin and in the index, with all it takes', async t => {
  const plugins = await declaredPlugins()
  const index = indexPage(plugins)
  for (const plugin of plugins) {
    const page = groupPage(plugin)
    for (const { path, help, args, options, examples, status } of plugin.commands) {
      const words = path.replaceAll('/', ' ')
      const [, section] = page.split(`\n## ${words}\n`)
      t.not(section, undefined, path)
      const ofCommand = section!.split('\n## ')[0]!
      t.true(ofCommand.includes(help), path)
      t.true(ofCommand.includes(`commands: { "${path}": off }`), path)
      t.true(ofCommand.includes('Answer: '), path)
      if (status !== 'regular') t.true(ofCommand.includes(`Status: ${status}.`), path)
      for (const { args: line } of examples) t.true(ofCommand.includes(`holdfast ${line}\n`), line)
      for (const [key, { spec }] of Object.entries(options)) {
        for (const name of namesOf(key, spec)) t.true(ofCommand.includes(`\`${name.length === 1 ? '-' : '--'}${name}\``), `${path} ${name}`)
      }
      for (const { spec } of Object.values(args)) t.true(ofCommand.includes(spec.help.replaceAll('|', '\\|')), path)
      t.true(index.includes(`[${words}](${plugin.name}.md#${path.replaceAll('/', '-')})`), path)
    }
    for (const code of Object.keys(plugin.errors)) t.true(page.includes(`\`${code}\``), code)
  }
})

test('a third party’s page has its statuses, defaults, shapes and settings', async t => {
  const third = (await declaredPlugins()).at(-1)!
  const page = groupPage(third, { offByDefault: true })
  for (const text of [
    'off unless switched on: `plugins: { acme-shapes: on }`',
    '| `--a-flag`, `-f`, `--old-flag` | bool | `true` | A flag. |',
    '| `--wait` | duration | `1000000000ns` |',
    '| `--tags`, `-t` | string, repeated |',
    'A mode. One of `fast`, `slow`.',
    'type AcmeTree = { Name: string; Children: AcmeTree[] }',
    'Status: deprecated. Off with `commands: { "acme/everything": off }` or `plugins: { deprecated: off }`.',
    'Not served over HTTP.',
    '| `depth` | `number` from 1 | `3` | How deep it looks. |'
  ]) {
    t.true(page.includes(text), text)
  }
})

test('the type of a schema is written as TypeScript has it', t => {
  const text = (schema: object) => typeText(schema as never, { nameOf: ref => ref, large: 'number | bigint' })
  t.is(text({ type: 'integer', format: 'uint64' }), 'number | bigint')
  t.is(text({ type: 'integer', format: 'int64', maximum: 9007199254740991 }), 'number')
  t.is(text({ type: 'array', items: { type: 'integer', format: 'int64' } }), 'Array<number | bigint>')
  t.is(text({ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] }), 'string[] | null')
  t.is(text({ type: 'object', additionalProperties: { type: 'string' } }), 'Record<string, string>')
  t.is(text({ type: 'object', properties: { '/': { type: 'string' } }, required: ['/'] }), "{ '/': string }")
  t.is(text({ type: 'object', properties: { a: { description: 'One.', type: 'null' } } }), '{\n  /** One. */\n  a?: null\n}')
  t.is(text({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'null' } } }), '{ a?: string; b?: null }')
  const several = { a: { type: 'string' }, b: { type: 'null' }, c: { type: 'boolean' } }
  t.is(text({ type: 'object', properties: several, required: ['c'] }), '{\n  a?: string\n  b?: null\n  c: boolean\n}')
  t.is(text({ enum: ['a', 1] }), '"a" | 1')
  t.is(text({}), 'unknown')
})

test('every setting says what it is for', async t => {
  const schemas: Array<readonly [string, z.ZodType]> = [['', hostSchema]]
  for (const { name, settings } of await declaredPlugins()) if (settings !== undefined) schemas.push([`plugins.${name}.`, settings])
  t.true(schemas.length > 3)
  for (const [prefix, schema] of schemas) for (const { key, help } of settingRows(schema, prefix)) t.not(help, '', key)
})

test('every environment variable that is read is described, and no other', async t => {
  const found = new Set<string>()
  for (const floor of ['core', 'config', 'host', 'plugins']) {
    for (const entry of await readdir(root + floor, { recursive: true })) {
      if (!entry.endsWith('.ts')) continue
      const source = await readFile(`${root}${floor}/${entry}`, 'utf8')
      for (const [, quoted, dotted, named] of source.matchAll(
        /\benv(?:\[['"]([A-Z][A-Z0-9_]+)['"]\]|\.([A-Z][A-Z0-9_]+))|['"]((?:IPFS|LIBP2P|MFS)_[A-Z0-9_]+)['"]/g
      ))
        found.add((quoted ?? dotted ?? named)!)
    }
  }
  t.deepEqual([...found].sort(), Object.keys(environment).sort())
})
