/** What a configuration names is found, checked and imported; what it switches off is not. */
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { temporaryFolder } from '../helpers/folder.ts'
import { named } from '../helpers/plugin.ts'
import { answer, bare, failure, running } from './parts.ts'

test('a plugin that is off is never imported', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'bomb.mjs'), "/* api: '^1' */ throw new Error('imported')")
  const off = await bare({ base: folder, configuration: { plugins: { './bomb.mjs': 'off' } } })
  await off.start()
  t.is(off.plugins()[0]?.state, 'off')
  t.is(off.plugins()[0]?.reason, 'plugins: { ./bomb.mjs: off } in the configuration')
  await off.stop()
  t.regex(
    await failure(t, { base: folder, configuration: { plugins: { './bomb.mjs': 'on' } } }),
    /'\.\/bomb\.mjs'.*failed while it was imported: imported/
  )
  const catalogue = [
    {
      name: 'bomb',
      status: 'deprecated' as const,
      about: '',
      paths: ['bomb/now'],
      services: [],
      load: () => import(join(folder, 'bomb.mjs'))
    }
  ]
  const host = await running(t, { catalogue, configuration: { plugins: { deprecated: 'off' } } })
  await t.throwsAsync(host.call('bomb/now'), {
    message: "there is no command 'bomb/now' on this host: plugins: { deprecated: off } in the configuration"
  })
})

const source = (name: string, api = '^1') => `
import { plugin, command, value, p } from 'holdfast'
import { z } from 'zod'
globalThis.imported = (globalThis.imported ?? []).concat(${JSON.stringify(name)})
export default plugin({ name: ${JSON.stringify(name)}, api: '${api}', about: 'From outside.',
  settings: z.strictObject({ greeting: z.string().default('hello') }),
  commands: [command.read('${name}/greet', { help: 'Greets.', args: { who: p.string('Whom.') },
    needs: { settings: (await import('holdfast')).settings() },
    reply: value(z.object({ Text: z.string() })), run: ({ settings }, { args }) => ({ Text: settings.greeting + ', ' + args.who }) })] })
`

async function withPackages(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const { symlink } = await import('node:fs/promises')
  await mkdir(join(folder, 'node_modules'))
  const root = new URL('../../../', import.meta.url)
  await symlink(root, join(folder, 'node_modules', 'holdfast'))
  await symlink(new URL('node_modules/zod', root), join(folder, 'node_modules', 'zod'))
  return folder
}

test("a third party's file and its package run, with their settings", async t => {
  const folder = await withPackages(t)
  await writeFile(join(folder, 'mine.mjs'), source('mine'))
  const at = join(folder, 'node_modules', 'holdfast-plugin-theirs')
  await mkdir(at)
  await writeFile(
    join(at, 'package.json'),
    JSON.stringify({ name: 'holdfast-plugin-theirs', exports: { '.': { import: './theirs.mjs' } }, holdfast: { api: '^1' } })
  )
  await writeFile(join(at, 'theirs.mjs'), source('theirs'))
  const host = await running(t, { base: folder, configuration: { plugins: { './mine.mjs': { greeting: 'hi' }, theirs: 'on' } } })
  t.deepEqual(await host.call('mine/greet', { args: ['you'] }), { Text: 'hi, you' })
  t.deepEqual(await host.call('theirs/greet', { args: ['you'] }), { Text: 'hello, you' })
  t.deepEqual(
    host.plugins().map(({ name, state }) => [name, state]),
    [
      ['mine', 'started'],
      ['theirs', 'started']
    ]
  )
})

test('a typescript file is a plugin as it is', async t => {
  const folder = await withPackages(t)
  await writeFile(
    join(folder, 'typed.ts'),
    `import { plugin, type Plugin } from 'holdfast'\nconst made: Plugin = plugin({ name: 'typed', api: '^1', about: '' })\nexport default made\n`
  )
  const host = await bare({ base: folder, configuration: { plugins: { './typed.ts': true } } })
  t.is(host.plugins()[0]?.name, 'typed')
})

test('a file whose plugin is not its default export is told so, whether it names an api or not', async t => {
  const folder = await withPackages(t)
  for (const [name, text] of [
    ['named.mjs', "import { plugin } from 'holdfast'\nexport const mine = plugin({ name: 'mine', api: '^1', about: '' })\n"],
    ['nothing.mjs', 'export const mine = 1\n']
  ] as const) {
    await writeFile(join(folder, name), text)
    t.regex(
      await failure(t, { base: folder, configuration: { plugins: { [`./${name}`]: 'on' } } }),
      /has no default export made by plugin\(\{ name, api, about, … \}\)$/
    )
  }
})

test('code for another api is refused before it runs', async t => {
  const folder = await withPackages(t)
  await writeFile(join(folder, 'tomorrow.mjs'), source('tomorrow', '^2'))
  const at = join(folder, 'node_modules', 'holdfast-plugin-future')
  await mkdir(at)
  await writeFile(join(at, 'package.json'), JSON.stringify({ name: 'holdfast-plugin-future', main: './i.mjs', holdfast: { api: '^2' } }))
  await writeFile(join(at, 'i.mjs'), source('future', '^2'))
  t.regex(
    await failure(t, { base: folder, configuration: { plugins: { './tomorrow.mjs': 'on' } } }),
    /is written for api '\^2', but this host offers 1\.0\.0/
  )
  t.regex(
    await failure(t, { base: folder, configuration: { plugins: { future: 'on' } } }),
    /plugin 'future' \(holdfast-plugin-future\) is written for api '\^2'/
  )
  await writeFile(join(at, 'package.json'), JSON.stringify({ name: 'holdfast-plugin-future', main: './i.mjs' }))
  t.regex(
    await failure(t, { base: folder, configuration: { plugins: { future: 'on' } } }),
    /package\.json needs "holdfast": \{ "api": "\^1" \}/
  )
  await writeFile(join(folder, 'silent.mjs'), 'export default {}')
  t.regex(
    await failure(t, { base: folder, configuration: { plugins: { './silent.mjs': 'on' } } }),
    /silent\.mjs needs api: '\^1' in its plugin\(/
  )
  const imported = (globalThis as { imported?: string[] }).imported ?? []
  t.false(imported.includes('tomorrow') || imported.includes('future'))
})

test('an unknown plugin and an unknown setting are answered with the nearest name', async t => {
  const catalogue = [
    {
      name: 'pins',
      status: 'regular' as const,
      about: '',
      paths: [],
      services: [],
      load: async () => ({ default: named('pins', { settings: z.strictObject({ depth: z.int().default(1) }) }) })
    }
  ]
  t.is(
    await failure(t, { catalogue, configurationFile: 'x.yaml', configuration: { plugins: { pin: 'on' } } }),
    "x.yaml: there is no plugin 'pin' — did you mean 'pins'?: not a built-in, and no file or package of that name was found"
  )
  const wrong = await failure(t, { catalogue, configurationFile: 'x.yaml', configuration: { plugins: { pins: { deph: 2 } } } })
  t.regex(wrong, /x\.yaml: plugins\.pins: settings of plugin 'pins': .*deph.*did you mean 'depth'/)
  t.regex(await failure(t, { catalogue, configuration: { plugins: { pins: { depth: 'x' } } } }), /settings of plugin 'pins': depth: /)
})

test('a plugin whose import does not end is named, and onFailure: continue goes on without it', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'stuck.mjs'), "/* api: '^1' */ await new Promise(() => {})\nexport default 1")
  const plugins = { './stuck.mjs': 'on' } as const
  const slow = "plugin './stuck.mjs': its import took longer than 0.05 s without progress"
  t.is(await failure(t, { base: folder, configuration: { plugins }, patience: 50 }), slow)
  const host = await bare({ base: folder, configuration: { plugins, onFailure: 'continue' }, patience: 50 })
  await host.start()
  t.like(host.plugins()[0], { name: './stuck.mjs', state: 'failed', reason: slow })
  await host.stop()
})

test('a line about a command that nobody declares is an error', async t => {
  const plugins = [named('one', { commands: [answer('say/it', 'one')] })]
  t.is(
    await failure(t, { plugins, configuration: { commands: { 'say/ot': 'off' } } }),
    "the configuration: no command matches 'say/ot' — did you mean 'say/it'?"
  )
})

const modes = process.platform === 'win32' ? test.skip : test

modes('a plugin that others decide over is not imported: its file, its package, a folder of it', async t => {
  const folder = await withPackages(t)
  await writeFile(join(folder, 'mine.mjs'), "/* api: '^1' */ throw new Error('imported')")
  const at = join(folder, 'node_modules', 'holdfast-plugin-theirs')
  await mkdir(join(at, 'lib'), { recursive: true })
  await writeFile(join(at, 'package.json'), JSON.stringify({ main: './lib/theirs.mjs', holdfast: { api: '^1' } }))
  await writeFile(join(at, 'lib', 'theirs.mjs'), "throw new Error('imported')")
  const told = (plugins: Record<string, 'on'>) => failure(t, { base: folder, configuration: { plugins } })
  for (const [key, paths] of [
    ['./mine.mjs', [join(folder, 'mine.mjs'), folder]],
    ['theirs', [join(at, 'package.json'), join(at, 'lib', 'theirs.mjs'), join(at, 'lib'), at, join(folder, 'node_modules'), folder]]
  ] as const) {
    for (const path of paths) {
      await chmod(path, 0o777)
      t.regex(await told({ [key]: 'on' }), new RegExp(`plugin '${key}' is not loaded: .* others can write .*mode 0777.*'${path}'$`))
      await chmod(path, 0o755)
      if (process.geteuid?.() !== 0) continue
      await chown(path, 65534, 0)
      t.regex(await told({ [key]: 'on' }), new RegExp(`plugin '${key}' is not loaded: .*belongs to user 65534.*'${path}'$`))
      await chown(path, 0, 0)
    }
    t.regex(await told({ [key]: 'on' }), /failed while it was imported: imported/)
  }
  const host = await bare({ base: folder, configuration: { plugins: { './mine.mjs': 'off' } } })
  t.is(host.plugins()[0]?.state, 'off', 'what is off is not looked at')
})
