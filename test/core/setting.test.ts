import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import test from 'ava'
import { z } from 'zod'
import { checkHostConfig } from '../../config/host/check.ts'
import { hostSchema } from '../../config/host/schema.ts'
import { plugin, Secret, setting } from '../../core/index.ts'
import { settingsFindings } from '../../host/cli/plugin/schemas.ts'
import { createHost } from '../../host/create.ts'
import { settingRows } from '../../host/reference/settings-table.ts'
import { catalogue } from '../../plugins/catalogue.ts'
import { temporaryFolder } from '../helpers/folder.ts'

const schema = z.strictObject({
  every: setting.duration('1m').describe('How often.'),
  password: setting.secret().describe('What is told to nobody.')
})

test('a duration is a number of milliseconds', t => {
  t.is(schema.parse({}).every, 60_000)
  t.is(schema.parse({ every: '1h0.5s' }).every, 3_600_500)
  for (const every of ['soon', '-1s', '5', -5, 0.5, Number.NaN, true, null, '1000000h', 2 ** 31]) {
    t.false(schema.safeParse({ every }).success, String(every))
  }
  t.like(settingRows(schema)[0], {
    key: 'every',
    allowed: 'a duration up to 596h31m23.647s, such as "1m0s", or a number of milliseconds',
    default: '1m0s'
  })
  t.deepEqual(settingsFindings(schema), [])
})

test('a duration may stand as a plain number of milliseconds, or of the unit that the setting had before', t => {
  const old = z.strictObject({ every: setting.duration('1m'), retry: setting.duration('1m', { min: '1s', number: 's' }) })
  t.deepEqual(old.parse({ every: 250, retry: 7 }), { every: 250, retry: 7_000 })
  t.false(old.safeParse({ retry: 0 }).success)
  t.like(settingRows(old)[1], { allowed: 'a duration from 1s to 596h31m23.647s, such as "1m0s", or a number of seconds' })
})

test('what a duration is held to counts before it is rounded to milliseconds, and nothing is rounded down to none', t => {
  const held = z.strictObject({ every: setting.duration('1m', { min: '1ms', max: '1h' }), none: setting.duration() })
  for (const every of ['0', 0, '999us', '1h0m0.0001s', 3_600_001]) t.false(held.safeParse({ every }).success, String(every))
  t.deepEqual(held.parse({ every: '1h', none: '1us' }), { every: 3_600_000, none: 1 })
  t.deepEqual(held.parse({ every: '1.5ms' }), { every: 2 })
  t.deepEqual(settingRows(held)[1]?.default, '')
})

test('every setting that is a time takes a duration', async t => {
  const plugins = await Promise.all(catalogue.map(async entry => (await entry.load()).default))
  const rows = [
    ...settingRows(hostSchema),
    ...plugins.flatMap(({ name, settings }) => (settings === undefined ? [] : settingRows(settings, `plugins.${name}.`)))
  ]
  const named = /(Ms|Seconds|[tT]imeout|[iI]nterval|[pP]eriod|[dD]elay|[tT]ime|T(TL|tl)|ttl|[vV]alidity|[gG]race|[eE]xpires)(Private)?$/
  const told = /^(Time|How (long|often)) |\b([Mm]illi)?[sS]econds (after|until)|[Mm]illiseconds/
  const times = rows.filter(({ key, help }) => named.test(key) || told.test(help))
  t.true(times.length > 50, `${times.length} are looked at`)
  t.deepEqual(
    times.filter(({ allowed }) => !allowed.startsWith('a duration')).map(({ key }) => key),
    []
  )
  // and the defaults are written as durations, and mean what the parsed setting has
  for (const { key, default: usual } of times) if (usual !== '') t.regex(usual, /^[\d.]+(ms|s|m|h)|^0s$/, key)
})

test('a duration that does not fit is named with its key and what is allowed', async t => {
  const mine = plugin({ name: 'mine', api: '^1', about: 'M.', settings: schema })
  for (const [every, told] of [
    ['soon', /plugins\.mine: settings of plugin 'mine': every is "soon"; allowed: a duration up to 596h/],
    [true, /every is true; allowed: a duration up to 596h/],
    [-1, /every is -1; allowed: a duration up to 596h/]
  ] as const) {
    await t.throwsAsync(createHost({ plugins: [mine], configuration: { plugins: { mine: { every } } } }), { message: told })
  }
  t.throws(() => checkHostConfig({ rpc: { limits: { keepAliveMs: 'soon' } } }, 'file'), {
    message: /^file: rpc\.limits\.keepAliveMs is "soon"; allowed: a duration up to 596h/
  })
  const { rpc, calls } = checkHostConfig(
    { rpc: { limits: { keepAliveMs: '1.5s', headerTimeoutMs: 20 } }, calls: { blockedMs: '2s' } },
    'file'
  )
  t.like(rpc?.limits, { keepAliveMs: 1_500, headerTimeoutMs: 20, bodyTimeoutMs: 300_000 })
  t.deepEqual(calls, { blockedMs: 2_000 })
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
