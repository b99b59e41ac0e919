import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { passphrase } from '../../../plugins/keys/passphrase.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

test('the passphrase is that of the setting, else of the file of the environment, else of the environment', async t => {
  const folder = await temporaryFolder(t)
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  await writeFile(one, 'first\n', { mode: 0o600 })
  await writeFile(two, 'second', { mode: 0o600 })
  const env = { HOLDFAST_KEY_PASSPHRASE_FILE: two, HOLDFAST_KEY_PASSPHRASE: 'third' }
  t.is(await passphrase(one, env), 'first')
  t.is(await passphrase(undefined, env), 'second')
  t.is(await passphrase(undefined, { HOLDFAST_KEY_PASSPHRASE: 'third' }), 'third')
  t.is(await passphrase(undefined, { HOLDFAST_KEY_PASSPHRASE: '', HOLDFAST_KEY_PASSPHRASE_FILE: '' }), undefined)
})

test('a file that others may read, that is empty or is not there gives no passphrase, and no start without one', async t => {
  const folder = await temporaryFolder(t)
  const [shared, empty] = [join(folder, 'shared'), join(folder, 'empty')]
  await writeFile(shared, 'secret', { mode: 0o644 })
  await writeFile(empty, '\n', { mode: 0o600 })
  t.true(hasCode(await t.throwsAsync(passphrase(shared, {})), 'E_SECRET_SHARED'))
  for (const file of [empty, join(folder, 'none'), folder]) await t.throwsAsync(passphrase(file, {}), { message: new RegExp(file) })
})
