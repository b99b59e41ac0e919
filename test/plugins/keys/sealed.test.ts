import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { generateIdentity } from '../../../core/keys/index.ts'
import { keystore, storeIn } from './helpers.ts'

const FILE = 'key_nv4wwzlz'
const PLAIN = 'key_obwgc2lo'
const PASSPHRASE = 'correct horse'

test('with a passphrase no private key is on the disk as it is, and the next start reads what is', async t => {
  const path = await keystore(t)
  const store = await storeIn(path, PASSPHRASE)
  const key = await store.generate('mykey')
  const secret = Buffer.from(await store.export('mykey'))
  const stored = await readFile(join(path, FILE))
  t.false(stored.includes(secret.subarray(4, 36)))
  const again = await storeIn(path, PASSPHRASE)
  t.is((await again.get('mykey'))?.peerId, key.peerId)
  t.deepEqual(Buffer.from(await again.export('mykey')), secret)
})

test('keys that were there before the passphrase are encrypted at the next start', async t => {
  const path = await keystore(t)
  const before = await storeIn(path)
  const key = await before.generate('mykey')
  const secret = Buffer.from(await before.export('mykey'))
  const after = await storeIn(path, PASSPHRASE)
  t.false((await readFile(join(path, FILE))).includes(secret.subarray(4, 36)))
  t.deepEqual(await readdir(path), [FILE])
  t.is((await after.get('mykey'))?.peerId, key.peerId)
})

test('another passphrase is refused at the start, and nothing is written under it', async t => {
  const path = await keystore(t, { made: true })
  await (await storeIn(path, PASSPHRASE)).generate('mykey')
  const plain = (await generateIdentity()).privateKey
  await writeFile(join(path, 'key_ne'), plain, { mode: 0o600 })
  const error = await t.throwsAsync(storeIn(path, 'wrong'))
  t.true(hasCode(error, 'E_KEY_PASSPHRASE'))
  t.false(/wrong|correct/.test(error?.message ?? ''))
  t.deepEqual(await readFile(join(path, 'key_ne')), Buffer.from(plain))
})

test('without the passphrase an encrypted key is named and kept, and no other is stored in the clear beside it', async t => {
  const path = await keystore(t)
  await (await storeIn(path, PASSPHRASE)).generate('mykey')
  const store = await storeIn(path)
  for (const use of [store.get('mykey'), store.list(), store.sign('mykey', new Uint8Array())]) {
    t.true(hasCode(await t.throwsAsync(use), 'E_KEY_SEALED'))
  }
  t.true(hasCode(await t.throwsAsync(store.generate('mykey')), 'E_KEY_EXISTS'))
  const refused = await t.throwsAsync(store.generate('other'))
  t.true(hasCode(refused, 'E_KEY_CLEAR'))
  t.regex(refused?.message ?? '', /'other' would not be encrypted as 'mykey' is.*plugins\.keys\.passphraseFile/)
  t.deepEqual(await readdir(path), ['key_nv4wwzlz'])
  await rm(join(path, 'key_nv4wwzlz'))
  t.is((await store.generate('other')).name, 'other')
})

test('an encrypted key that was changed anywhere, or cut, is refused', async t => {
  const path = await keystore(t)
  await (await storeIn(path, PASSPHRASE)).generate('mykey')
  await (await storeIn(path, PASSPHRASE)).generate('whole')
  const file = join(path, FILE)
  const stored = await readFile(file)
  const store = await storeIn(path, PASSPHRASE)
  const codes = new Set<unknown>()
  // from the nonce on: another salt is another key, which costs a derivation each
  for (let i = 31; i < stored.length; i++) {
    await writeFile(
      file,
      Uint8Array.from(stored, (byte, at) => (at === i ? byte ^ 1 : byte))
    )
    codes.add(((await t.throwsAsync(store.get('mykey'))) as { code?: string } | undefined)?.code)
    await writeFile(file, stored.subarray(0, i))
    codes.add(((await t.throwsAsync(store.get('mykey'))) as { code?: string } | undefined)?.code)
  }
  t.deepEqual([...codes], ['E_KEY_PASSPHRASE'])
  await writeFile(file, stored)
  t.is((await store.get('mykey'))?.name, 'mykey')
})

test('an encrypted key keeps its content under a new name', async t => {
  const path = await keystore(t)
  const store = await storeIn(path, PASSPHRASE)
  const { peerId } = await store.generate('a')
  await store.rename('a', 'b')
  t.is((await (await storeIn(path, PASSPHRASE)).get('b'))?.peerId, peerId)
})

test('without the passphrase an ID may be that of an encrypted key, which is said; one that is known is found', async t => {
  const path = await keystore(t)
  const plain = await (await storeIn(path)).generate('plain')
  const bytes = await readFile(join(path, PLAIN))
  const sealed = await (await storeIn(path, PASSPHRASE)).generate('mykey')
  await writeFile(join(path, PLAIN), bytes)
  const store = await storeIn(path)
  t.is((await store.find(plain.peerId))?.name, 'plain')
  t.true(hasCode(await t.throwsAsync(store.find(sealed.peerId)), 'E_KEY_SEALED'))
  t.is(await store.find('nobody'), undefined)
})
