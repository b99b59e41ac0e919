/** What must not be stored, as this program would load it. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import tar from 'tar-stream'
import { KnownCommands } from '../../../../host/cli/line/known-commands.ts'
import { programs } from '../../../../host/cli/programs/index.ts'
import { foldName } from '../../../../host/cli/save/fold.ts'
import type { Guard } from '../../../../host/cli/save/guard.ts'
import { guardOf } from '../../../../host/cli/save/guarded.ts'
import { unpack } from '../../../../host/cli/save/unpack.ts'
import { TrustedFolders } from '../../../../host/cli/trust/folders.ts'
import { cacheFolder, configurationFolder, stateFolder } from '../../../../host/cli/trust/places.ts'
import { packageRoot } from '../../../../host/version.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

interface World {
  /** A trusted folder. */
  readonly trusted: string
  /** One that is not. */
  readonly other: string
  readonly env: Readonly<Record<string, string>>
  guard(cwd?: string): Promise<Guard>
}

/** @param files - of the trusted folder */
async function world(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): Promise<World> {
  const top = await temporaryFolder(t)
  const env = { XDG_STATE_HOME: join(top, 'state'), XDG_CONFIG_HOME: join(top, 'config'), XDG_CACHE_HOME: join(top, 'cache') }
  const [trusted, other] = [join(top, 'trusted'), join(top, 'other')]
  for (const folder of [trusted, other]) await mkdir(folder)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(trusted, name, '..'), { recursive: true })
    await writeFile(join(trusted, name), text)
  }
  await new TrustedFolders(stateFolder({ env })).add(trusted)
  const guard = async (cwd = other) => {
    const commands = await KnownCommands.open({ file: undefined, cwd, env }, programs)
    t.is(commands.problem, undefined)
    return guardOf({ commands, globals: { repo: join(top, 'repo') }, terminal: { env } as never })
  }
  return { trusted, other, env, guard }
}

async function refusals(guard: Guard, paths: readonly string[], type: 'file' | 'symlink' | 'directory' = 'file'): Promise<string[]> {
  const refused: string[] = []
  for (const path of paths) {
    await guard.check(path, type).catch((error: { code?: string }) => {
      if (error.code !== 'E_SAVE_TRUSTED') throw error
      refused.push(path)
    })
  }
  return refused
}

const below = (folder: string, names: readonly string[]) => names.map(name => join(folder, name))

test('names under which a configuration or packages are looked for are kept at the top of a trusted folder, however they are written', async t => {
  const { trusted, other, guard } = await world(t)
  const kept = [
    'holdfast.config.js',
    'holdfast.config.yaml',
    'holdfast.config.toml',
    '.holdfastrc',
    '.holdfastrc.mjs',
    'package.json',
    'node_modules',
    'node_modules/holdfast-plugin-x/index.js',
    'Holdfast.Config.JS',
    'HOLDFAST.CONFIG.YAML',
    '.holdfastRC',
    'Package.JSON',
    'NODE_MODULES/x',
    'holdfa\u017ft.config.js',
    'hold\u200cfast.config.js',
    '\uff48oldfast.config.js',
    'pac\u212aage.json'
  ]
  const free = ['README.md', 'index.js', 'holdfast.md', 'sub/package.json', 'sub/holdfast.config.js', 'config', 'sub/node_modules/x']
  t.deepEqual(await refusals(await guard(), below(trusted, [...kept, ...free])), below(trusted, kept))
  t.deepEqual(await refusals(await guard(), below(other, [...kept.filter(name => !/modules/i.test(name)), ...free])), [], 'nor elsewhere')
})

test('packages are found in the folders above too, so they are kept there', async t => {
  const { trusted, guard } = await world(t)
  const above = join(trusted, '..')
  const paths = below(above, ['node_modules/zod/index.js', 'package.json', 'x.js'])
  t.deepEqual(await refusals(await guard(), paths), paths.slice(0, 1))
})

for (const [form, name, text] of [
  ['that can be read', 'holdfast.config.yaml', 'plugins: { ./plugins/deep/audit.ts: on }\n'],
  ['that is code', 'holdfast.config.mjs', "export default { plugins: { './plugins/deep/audit.ts': 'on' } }\n"]
] as const) {
  test(`the files of plugins of a configuration ${form} are kept, and the modules that are there already`, async t => {
    const { trusted, guard } = await world(t, {
      [name]: text,
      'plugins/deep/audit.ts': "throw new Error('imported')",
      'plugins/deep/lib/log.ts': '',
      'plugins/deep/notes.txt': ''
    })
    const kept = ['plugins/deep/audit.ts', 'plugins/deep/lib/log.ts']
    const free = ['plugins/deep/notes.txt', 'plugins/deep/new.ts', 'site/index.js']
    t.deepEqual(await refusals(await guard(), below(trusted, [...kept, ...free])), below(trusted, kept))
  })
}

test('what decides which packages a plugin gets is kept on the way to its file, which need not be there', async t => {
  const { trusted, guard } = await world(t, { 'holdfast.config.yaml': 'plugins: { ./plugins/deep/audit.ts: on }\n' })
  const kept = [
    'plugins/deep/audit.ts',
    'Plugins/deep/AUDIT.ts',
    'plugins/deep/node_modules/zod/index.js',
    'plugins/package.json',
    'plugins/node_modules/x'
  ]
  const free = ['plugins/other/package.json', 'plugins/readme.md']
  t.deepEqual(await refusals(await guard(), below(trusted, [...kept, ...free])), below(trusted, kept))
  t.deepEqual(
    await refusals(await guard(), below(trusted, ['plugins', 'plugins/deep']), 'symlink'),
    below(trusted, ['plugins', 'plugins/deep'])
  )
  t.deepEqual(await refusals(await guard(), below(trusted, ['plugins', 'plugins/deep']), 'directory'), [])
})

test('a package that was linked into node_modules is kept where it lies', async t => {
  const { trusted, other, guard } = await world(t, { 'holdfast.config.yaml': 'plugins: { mine: on }\n', 'node_modules/.keep': '' })
  await mkdir(join(other, 'mine'))
  await writeFile(join(other, 'mine', 'package.json'), '{ "holdfast": { "api": "^1" } }')
  await writeFile(join(other, 'mine', 'index.js'), '')
  await symlink(join(other, 'mine'), join(trusted, 'node_modules', 'holdfast-plugin-mine'))
  const paths = below(other, ['mine/index.js', 'mine/package.json', 'mine/readme.md', 'index.js'])
  t.deepEqual(await refusals(await guard(), paths), paths.slice(0, 2))
})

test("the list of trusted folders, the user's own configuration and repos are kept whole", async t => {
  const { trusted, other, env, guard } = await world(t, { 'holdfast.config.yaml': 'repo: ./data\n' })
  const foreign = join(other, 'some-repo')
  await mkdir(foreign)
  for (const name of ['config', 'version', 'datastore_spec']) await writeFile(join(foreign, name), '')
  const kept = [
    join(stateFolder({ env }), 'trusted', 'x'),
    join(configurationFolder({ env }), 'holdfast.config.yaml'),
    join(configurationFolder({ env }), 'deep', 'x'),
    join(trusted, '..', 'repo', 'api'),
    join(trusted, 'data', 'config'),
    join(foreign, 'api'),
    join(foreign, 'keystore', 'x')
  ]
  t.deepEqual(await refusals(await guard(), [...kept, join(other, 'api'), join(other, 'config')]), kept)
})

test('this program itself, and what was compiled of it, are kept', async t => {
  const { env, guard } = await world(t)
  const program = fileURLToPath(packageRoot)
  const kept = [
    join(cacheFolder({ env }), 'compiled', 'v24', 'x'),
    ...below(program, ['package.json', 'dist/bundle/host/cli/bin.js', 'dist/core/new.js', 'node_modules/zod/index.js'])
  ]
  t.deepEqual(await refusals(await guard(), [...kept, join(program, 'docs', 'x.md')]), kept)
  t.deepEqual(await refusals(await guard(), [cacheFolder({ env }), join(program, 'dist')], 'symlink'), [
    cacheFolder({ env }),
    join(program, 'dist')
  ])
})

test('a path through a symlink is the path that it leads to', async t => {
  const { trusted, other, guard } = await world(t)
  await symlink(trusted, join(other, 'link'))
  const paths = below(other, ['link/holdfast.config.js', 'link/x.js'])
  t.deepEqual(await refusals(await guard(), paths), paths.slice(0, 1))
})

test('the folder of a configuration that was named is kept like a trusted one', async t => {
  const { other, env } = await world(t)
  await writeFile(join(other, 'my.yaml'), 'plugins: { ./mine.ts: off }\n')
  const commands = await KnownCommands.open({ file: 'my.yaml', cwd: other, env }, programs)
  const guard = await guardOf({ commands, globals: {}, terminal: { env } as never })
  const kept = below(other, ['my.yaml', 'MY.yaml', 'mine.ts', 'package.json', 'node_modules/x'])
  t.deepEqual(await refusals(guard, [...kept, join(other, 'your.yaml')]), kept)
})

test('an archive with one such name is refused as a whole, and leaves nothing', async t => {
  const { trusted, guard } = await world(t)
  const archive = (names: readonly string[]) => {
    const pack = tar.pack()
    pack.entry({ name: 'root', type: 'directory' })
    for (const name of names) pack.entry({ name: `root/${name}` }, 'x')
    pack.finalize()
    return pack as AsyncIterable<Uint8Array>
  }
  const kept = await guard()
  await t.throwsAsync(
    unpack(archive(['a', 'holdfast.config.js']), trusted, () => {}, kept),
    { code: 'E_SAVE_TRUSTED', message: /holdfast\.config\.js'.*--allow-config$/ }
  )
  t.deepEqual(await readdir(trusted), [])
  await unpack(archive(['a', 'sub.js']), trusted, () => {}, kept)
  t.deepEqual((await readdir(trusted)).sort(), ['a', 'sub.js'])
  await unpack(archive(['holdfast.config.js']), join(trusted, 'sub'), () => {}, kept)
  t.deepEqual(await readdir(join(trusted, 'sub')), ['holdfast.config.js'], 'a folder below is none that anything is looked for in')
})

test("Windows' ways to write a name are known", t => {
  for (const name of ['holdfast.config.js.', 'holdfast.config.js ', 'holdfast.config.js::$DATA', 'HOLDFAST.CONFIG.JS. .'])
    t.is(foldName(name, '\\'), 'holdfast.config.js', name)
  t.is(foldName('holdfast.config.js.', '/'), 'holdfast.config.js.')
})
