import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import test from 'ava'
import { z } from 'zod'
import { plugin, Secret, setting } from '../../core/index.ts'
import { settingsFindings } from '../../host/cli/plugin/schemas.ts'
import { createHost } from '../../host/create.ts'
import { settingRows } from '../../host/reference/settings-table.ts'
import { temporaryFolder } from '../helpers/folder.ts'

const schema = z.strictObject({
  every: setting.duration('1m').describe('How often.'),
  password: setting.secret().describe('What is told to nobody.')
})

test('a duration is a number of milliseconds', t => {
  t.is(schema.parse({}).every, 60_000)
  t.is(schema.parse({ every: '1h0.5s' }).every, 3_600_500)
  for (const every of ['soon', '-1s', '5', 5]) t.false(schema.safeParse({ every }).success, String(every))
  t.like(settingRows(schema)[0], { key: 'every', default: '1m0s' })
  t.deepEqual(settingsFindings(schema), [])
})

test('a secret is read from the configuration, a file or the environment, and nothing that prints it shows it', async t => {
  const file = join(await temporaryFolder(t), 'secret')
  await writeFile(file, 'hunter2\n', { mode: 0o600 })
  process.env['TEST_SECRET'] = 'hunter2'
  t.teardown(() => delete process.env['TEST_SECRET'])
  t.is(schema.parse({}).password, undefined)
  for (const password of ['hunter2', { file }, { env: 'TEST_SECRET' }]) {
    const parsed = schema.parse({ password })
    t.true(parsed.password instanceof Secret)
    t.is(await parsed.password!.read(), 'hunter2')
    const shown = [JSON.stringify(parsed), inspect(parsed, { depth: 9, showHidden: true }), `${parsed.password}`]
    for (const text of shown) t.false(text.includes('hunter2'), text)
  }
  await chmod(file, 0o644)
  await t.throwsAsync(schema.parse({ password: { file } }).password!.read(), { code: 'E_SECRET_SHARED' })
  await t.throwsAsync(schema.parse({ password: { env: 'TEST_NO_SECRET' } }).password!.read(), { code: 'E_SECRET_ABSENT' })
})

test('what is wrong with a secret is told without it', async t => {
  const mine = plugin({ name: 'mine', api: '^1', about: 'M.', settings: schema })
  const configuration = { plugins: { mine: { password: { text: 'hunter2' } } } }
  const error = await t.throwsAsync(createHost({ plugins: [mine], configuration }))
  t.regex(error.message, /password: text, \{ file: PATH \} or \{ env: NAME \}/)
  t.false(error.message.includes('hunter2'))
})
