/** Settings of the kind `secret`, and secrets of the node configuration: on no surface of the program does one stand. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { settingRows } from '../../../host/reference/settings-table.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'

const KIND = 'text, { file: PATH } or { env: NAME }'
const MARK = 'hunter2-correct-horse'

const plugins = await Promise.all(catalogue.map(async entry => (await entry.load()).default))
const secrets = plugins.flatMap(({ name, settings }) =>
  settings === undefined ? [] : settingRows(settings, `${name}.`).flatMap(({ key, allowed }) => (allowed.includes(KIND) ? [key] : []))
)

function withSecret(key: string, value: unknown): { plugins: Record<string, unknown> } {
  const [name, ...path] = key.split('.')
  return { plugins: { [name!]: path.reduceRight<unknown>((below, part) => ({ [part]: below }), value) } }
}

/** The words of every surface that shows what a node is made of, in a repo where `configuration` counts. */
async function surfaces(t: ExecutionContext, configuration: object) {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'with.json'), JSON.stringify(configuration))
  const env = { GOLOG_LOG_LEVEL: 'debug' }
  const run = (...words: string[]) => commandLine(['--repo', join(cwd, 'repo'), '--config', 'with.json', ...words], { cwd, env })
  const shown: Record<string, string> = {}
  for (const words of [
    'init',
    'key gen mine',
    'config show',
    'config show --explain',
    'plugins',
    'doctor --start',
    'diag sys',
    'diag profile -o profile.zip --profile-time=0s --collectors=version --collectors=goroutines-stack',
    'key gen --type=nonsense other',
    'no-such-command'
  ]) {
    const { out, err } = await run(...words.split(' '))
    shown[words] = out + err
  }
  for (const name of await readdir(cwd)) if (name.endsWith('.zip')) shown[name] = await readFile(join(cwd, name), 'latin1')
  return { shown, run }
}

function checkHidden(t: ExecutionContext, shown: Readonly<Record<string, string>>): void {
  for (const [surface, text] of Object.entries(shown)) t.false(text.includes(MARK), `${surface}: ${text.slice(0, 500)}`)
}

test('some built-in plugin has a setting of the kind secret', t => {
  t.true(secrets.includes('keys.passphrase'), secrets.join())
})

for (const key of secrets) {
  test(`the secret plugins.${key} stands on no surface, whatever its form`, async t => {
    const file = join(await temporaryFolder(t), 'secret')
    await writeFile(file, MARK, { mode: 0o600 })
    for (const value of [MARK, { file }]) {
      const { shown } = await surfaces(t, withSecret(key, value))
      checkHidden(t, shown)
      t.regex(shown['plugins']!, new RegExp(key.split('.')[0]!))
    }
  })

  test(`what is wrong with plugins.${key} is told without it`, async t => {
    for (const value of [{ text: MARK }, [MARK], { file: 1, other: MARK }, { env: { [MARK]: 1 } }]) {
      const { shown } = await surfaces(t, withSecret(key, value))
      checkHidden(t, shown)
      t.true(shown['config show']!.includes(KIND), shown['config show'])
    }
  })
}

test('secrets of the node configuration stand on no surface', async t => {
  const { run } = await surfaces(t, {})
  const api = { Endpoint: 'https://pins.example', Key: MARK }
  t.is((await run('pin', 'remote', 'service', 'add', 'mine', api.Endpoint, api.Key)).code, 0)
  for (const words of [
    'config show',
    'config show --explain',
    'doctor',
    'plugins',
    'pin remote service ls',
    'pin remote service ls --stat',
    'diag sys'
  ]) {
    const { out, err } = await run(...words.split(' '))
    t.false((out + err).includes(MARK), words)
  }
})

test('keys are encrypted under the passphrase of the secret setting, and opened by it alone', async t => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'with.json'), JSON.stringify(withSecret('keys.passphrase', MARK)))
  await writeFile(join(cwd, 'other.json'), JSON.stringify(withSecret('keys.passphrase', 'a-second-one-77')))
  const by = (config: string, ...words: string[]) => commandLine(['--repo', join(cwd, 'repo'), '--config', config, ...words], { cwd })
  const init = await by('with.json', 'init')
  t.is(init.code, 0, init.err)
  const made = await by('with.json', 'key', 'gen', 'mine')
  t.is(made.code, 0, made.err)
  const exported = await by('with.json', 'key', 'export', 'mine')
  t.is(exported.code, 0, exported.err)
  const { code, err } = await by('other.json', 'key', 'export', 'mine')
  t.is(code, 1)
  t.false(err.includes('a-second-one-77'), err)
})
