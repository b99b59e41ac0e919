/** The program installed for all users, as `npm install -g` lays it out: beside it lies nothing that a plugin elsewhere would find. */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Project, packedProject, root } from '../helpers/process/packed.ts'

interface Installed {
  readonly project: Project
  /** What npm calls the prefix. */
  readonly prefix: string
  /** A folder of a user, outside of it. */
  readonly home: string
  /** Runs a program with that installation, and with npm's of its own, on the path. */
  run(program: string, args: readonly string[], folder?: string): Promise<string>
}

async function installed(t: ExecutionContext): Promise<Installed> {
  const project = await packedProject()
  t.teardown(() => project.remove())
  const prefix = join(await temporaryFolder(t), 'prefix')
  const package_ = join(prefix, 'lib', 'node_modules', 'holdfast')
  await cp(join(project.folder, 'node_modules', 'holdfast'), package_, { recursive: true })
  const { dependencies } = JSON.parse(await readFile(join(package_, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) await link(join(root, 'node_modules', name), join(package_, 'node_modules', name))
  await link(join(package_, 'dist', 'bundle', 'host', 'cli', 'bin.js'), join(prefix, 'bin', 'holdfast'))
  const home = await temporaryFolder(t)
  const path = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter)
  const env = [`PATH=${path}`, `npm_config_prefix=${prefix}`, `HOME=${home}`]
  return { project, prefix, home, run: (program, args, folder = home) => project.run('env', [...env, program, ...args], folder) }
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

/** What a stranger has from the registry, which a test does not ask. */
async function linkTools(folder: string): Promise<void> {
  for (const name of ['typescript', '@types/node', 'zod']) await link(join(root, 'node_modules', name), join(folder, 'node_modules', name))
}

test('a plugin in one file outside of any package finds holdfast and zod, and can be type-checked once they are linked', async t => {
  const { run, home } = await installed(t)
  await cp(join(root, 'examples', 'hello.ts'), join(home, 'hello.ts'))
  await writeFile(join(home, 'holdfast.config.yaml'), 'repo: ./data\nplugins:\n  ./hello.ts: on\n')
  await run('holdfast', ['init'])
  t.is(await run('holdfast', ['hello', 'Ada']), '{"Message":"hello, Ada"}\n')
  t.is(await run('holdfast', ['plugin', 'check', 'hello.ts']), 'Nothing a host would refuse.\n')
  const misspelt = "import { plugin } from 'holdfast-nonsense'\nexport default plugin({ name: 'x', api: '^1', about: 'X.' })\n"
  await writeFile(join(home, 'misspelt.ts'), misspelt)
  const { message } = await t.throwsAsync(run('holdfast', ['plugin', 'check', 'misspelt.ts']))
  t.regex(message, /Cannot find package 'holdfast-nonsense'/)

  await writeFile(join(home, 'package.json'), '{ "type": "module" }')
  await run('npm', ['link', 'holdfast'])
  await linkTools(home)
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const checks = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck']
  t.is(await run(tsc, [...checks, 'hello.ts']), '')
})

test('a new package is installed without asking the registry for holdfast, and passes its test and the check', async t => {
  const { run, home, prefix } = await installed(t)
  await run('holdfast', ['plugin', 'new', 'acme-audit'])
  const folder = join(home, 'holdfast-plugin-acme-audit')
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  t.is(manifest.devDependencies.holdfast, `file:${join(prefix, 'lib', 'node_modules', 'holdfast')}`)
  await installOffline(run, folder)
  t.true((await readdir(join(folder, 'node_modules'))).includes('holdfast'))
  await linkTools(folder)
  await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.'], folder)
  t.regex(await run(process.execPath, ['--test', '--test-reporter=tap', 'dist/test/index.test.js'], folder), /^# pass 2$/m)
  t.is(await run('holdfast', ['plugin', 'check'], folder), 'Nothing a host would refuse.\n')
})

test('a new package in a project that has holdfast takes that one', async t => {
  const { project } = await installed(t)
  await project.run(process.execPath, [project.holdfast, 'plugin', 'new', 'acme-audit'])
  const folder = join(project.folder, 'holdfast-plugin-acme-audit')
  const { devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  t.false('holdfast' in devDependencies)
  await installOffline(project.run, folder)
  await project.run('tsc', ['-p', '.'], folder)
  t.regex(await project.run(process.execPath, ['--test', '--test-reporter=tap', 'dist/test/index.test.js'], folder), /^# pass 2$/m)
})

/** `npm install` of all but what a stranger gets from the registry. */
async function installOffline(run: Installed['run'], folder: string): Promise<void> {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  for (const list of [manifest.devDependencies, manifest.peerDependencies])
    for (const name of Object.keys(list)) if (name !== 'holdfast') delete list[name]
  await writeFile(file, JSON.stringify(manifest))
  await run('npm', ['install'], folder)
}
