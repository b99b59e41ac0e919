import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { generateIdentity, identityOf } from '../../../core/keys/index.ts'
import { keystore, storeIn } from './helpers.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('a key is a file for its owner alone, as the reference names and writes it', async t => {
  const path = await keystore(t)
  const key = await (await storeIn(path)).generate('mykey')
  t.deepEqual(await readdir(path), ['key_nv4wwzlz'])
  t.is(await modeOf(path), 0o700)
  t.is(await modeOf(join(path, 'key_nv4wwzlz')), 0o600)
  t.is(identityOf(await readFile(join(path, 'key_nv4wwzlz'))).peerId, key.peerId)
})

test('keys that another program stored are there, and what is no key is passed over', async t => {
  const path = await keystore(t, { made: true })
  const theirs = await generateIdentity('rsa')
  await writeFile(join(path, 'key_nv4wwzlz'), theirs.privateKey, { mode: 0o400 })
  for (const name of ['key_', 'key_1', 'key_NV4WWZLZ', 'notes', 'key_onswyzq']) await writeFile(join(path, name), 'x', { mode: 0o600 })
  const store = await storeIn(path)
  t.deepEqual(
    (await store.list()).map(({ name }) => name),
    ['self', 'mykey']
  )
  t.is((await store.get('mykey'))?.peerId, theirs.peerId)
  t.is((await store.find(theirs.peerId))?.name, 'mykey')
  t.deepEqual(Buffer.from(await store.export('mykey')), Buffer.from(theirs.privateKey))
})

for (const name of ['..', '.', 'a/b', '../../etc/passwd', 'a\0b', 'a\nb', 'ünïcode 日本', 'UPPER', 'n'.repeat(156)]) {
  test(`the name ${JSON.stringify(name.slice(0, 20))} is one as any other, and points nowhere`, async t => {
    const path = await keystore(t)
    const store = await storeIn(path)
    await store.generate(name)
    t.is((await readdir(path)).length, 1)
    t.deepEqual(
      (await store.list()).map(key => key.name),
      ['self', name]
    )
    await store.remove(name)
    t.deepEqual(await readdir(path), [])
  })
}

for (const [name, code] of [
  ['', 'E_KEY_NAME'],
  ['n'.repeat(157), 'E_KEY_NAME_LONG'],
  ['n'.repeat(10_240), 'E_KEY_NAME_LONG'],
  ['日'.repeat(53), 'E_KEY_NAME_LONG'],
  ['self', 'E_KEY_SELF']
] as const) {
  test(`no key is made under ${JSON.stringify(name.slice(0, 10))} of ${name.length} characters`, async t => {
    const store = await storeIn(await keystore(t))
    t.true(hasCode(await t.throwsAsync(store.generate(name)), code))
    t.is((await store.list()).length, 1)
  })
}

test('of many who make a key of one name at once one gets it, and keys of other names are all there', async t => {
  const store = await storeIn(await keystore(t))
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => store.generate('one')))
  const made = outcomes.filter(({ status }) => status === 'fulfilled')
  t.is(made.length, 1)
  t.is((await store.get('one'))?.peerId, (made[0] as PromiseFulfilledResult<{ peerId: string }>).value.peerId)
  await Promise.all(Array.from({ length: 20 }, (_, i) => store.generate(`key ${i}`)))
  t.is((await store.list()).length, 22)
})

test('of renames of several keys to one name at once one wins, and nothing else is lost', async t => {
  const store = await storeIn(await keystore(t))
  for (const name of ['a', 'b', 'c']) await store.generate(name)
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(name => store.rename(name, 'd')))
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of outcomes) if (one.status === 'rejected') t.true(hasCode(one.reason, 'E_KEY_TAKEN'))
  t.is((await store.list()).length, 4)
})

test('with force the key of the new name is replaced, and only then', async t => {
  const store = await storeIn(await keystore(t))
  const [a] = [await store.generate('a'), await store.generate('b')]
  const { key, overwrote } = await store.rename('a', 'b', { force: true })
  t.true(overwrote)
  t.is(key.peerId, a.peerId)
  t.is((await store.get('b'))?.peerId, a.peerId)
  t.is(await store.get('a'), undefined)
  t.false((await store.rename('b', 'c', { force: true })).overwrote)
})

test('what a killed process left unfinished is removed at the next start', async t => {
  const path = await keystore(t, { made: true })
  await writeFile(join(path, '.key-0123456789abcdef'), 'half a k')
  t.is((await (await storeIn(path)).list()).length, 1)
  t.deepEqual(await readdir(path), [])
})

test('a folder and keys that others could read are closed to them, and the log tells it', async t => {
  const path = await keystore(t, { made: true })
  const file = join(path, 'key_nv4wwzlz')
  await writeFile(file, (await generateIdentity()).privateKey)
  await chmod(file, 0o644)
  await chmod(path, 0o755)
  const { logged } = await storeIn(path)
  t.is(await modeOf(path), 0o700)
  t.is(await modeOf(file), 0o600)
  t.is(logged.length, 2)
  t.regex(logged[1]!, /key_nv4wwzlz \(mode 0644\)/)
})

for (const [what, make] of [
  ['no key', (file: string) => writeFile(file, 'broken')],
  ['empty', (file: string) => writeFile(file, '')],
  ['a mebibyte', (file: string) => writeFile(file, new Uint8Array(2 ** 20))],
  ['a folder', (file: string) => mkdir(file)],
  [
    'a symbolic link to a key',
    async (file: string) => {
      await writeFile(`${file}.target`, (await generateIdentity()).privateKey)
      await symlink(`${file}.target`, file)
    }
  ]
] as const) {
  test(`a file of a key that is ${what} is named by whoever needs it, keeps its name, and does no harm to others`, async t => {
    const path = await keystore(t, { made: true })
    const file = join(path, 'key_nv4wwzlz')
    await make(file)
    const store = await storeIn(path)
    for (const use of [store.get('mykey'), store.list(), store.export('mykey'), store.remove('mykey'), store.rename('mykey', 'x')]) {
      const error = await t.throwsAsync(use)
      t.true(hasCode(error, 'E_KEY_FILE'))
      t.true(error?.message.includes(`'mykey' in ${file}`), error?.message)
    }
    t.true(hasCode(await t.throwsAsync(store.generate('mykey')), 'E_KEY_EXISTS'))
    const other = await store.generate('other')
    t.is((await store.find(other.peerId))?.name, 'other')
  })
}

test('an RSA key of less bits than are useful is removed and renamed, but not used', async t => {
  const path = await keystore(t)
  const store = await storeIn(path)
  const { generateKeyPairSync } = await import('node:crypto')
  const { identityOfPem } = await import('../../../core/keys/index.ts')
  const { identityOfObject } = await import('../../../core/keys/keypair.ts')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  t.throws(() => identityOfPem(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string), { code: 'E_KEY_TOO_SMALL' })
  await store.import('small', identityOfObject('rsa', privateKey))
  for (const use of [store.list(), store.sign('small', new Uint8Array())]) {
    t.is((await t.throwsAsync(use))?.message, 'rsa keys must be >= 2048 bits to be useful')
  }
  await store.rename('small', 'tiny')
  await store.remove('tiny')
  t.is((await store.list()).length, 1)
})

test('sizes of RSA keys that would take for ever are refused at once', async t => {
  const store = await storeIn(await keystore(t))
  for (const bits of [8193, 2 ** 31 - 1])
    t.true(hasCode(await t.throwsAsync(store.generate('x', { type: 'rsa', bits })), 'E_KEY_TOO_LARGE'))
  for (const bits of [0, -2, 2047]) t.true(hasCode(await t.throwsAsync(store.generate('x', { type: 'rsa', bits })), 'E_KEY_TOO_SMALL'))
  t.is((await store.list()).length, 1)
})

test('a caller who has left gets no RSA key', async t => {
  const store = await storeIn(await keystore(t))
  const controller = new AbortController()
  const made = store.generate('x', { type: 'rsa', signal: controller.signal })
  controller.abort(new Error('gone'))
  t.is((await t.throwsAsync(made))?.message, 'gone')
  t.is((await store.list()).length, 1)
})

test('no key is made at the old place of a keystore that was moved away, and those that lie elsewhere are not said to be none', async t => {
  const path = await keystore(t)
  const store = await storeIn(path)
  await store.generate('first')
  await rename(path, `${path}-moved`)
  for (const work of [() => store.generate('second'), () => store.names(), () => store.get('first')])
    t.true(hasCode(await t.throwsAsync(work), 'E_KEY_FOLDER'))
  await t.throwsAsync(stat(path), { code: 'ENOENT' })
  await rename(`${path}-moved`, path)
  await store.generate('second')
  t.deepEqual(await store.names(), ['self', 'first', 'second'])
})

test('no key is made where the repo is gone, though there was no keystore before', async t => {
  const path = await keystore(t)
  const store = await storeIn(path)
  const repo = dirname(path)
  await rename(repo, `${repo}-moved`)
  t.teardown(() => rm(`${repo}-moved`, { recursive: true }))
  t.true(hasCode(await t.throwsAsync(store.generate('first')), 'E_KEY_FOLDER'))
  await t.throwsAsync(stat(repo), { code: 'ENOENT' })
})
