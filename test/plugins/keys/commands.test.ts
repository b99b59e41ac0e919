import { generateKeyPairSync } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { generateIdentity, pemOf } from '../../../core/keys/index.ts'
import { createHost } from '../../../host/create.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

interface KeyEntry {
  Name: string
  Id: string
}

async function host(t: { teardown(end: () => unknown): void }, settings: Record<string, unknown> = {}) {
  const made = await testHost({ configuration: { plugins: { keys: settings } } })
  t.teardown(() => made.stop())
  return made
}

test('a key is made, listed, renamed and removed, its ID in the base that is asked for', async t => {
  const node = await host(t)
  const made = (await node.call('key/gen', { args: ['a'], options: { ipnsBase: 'b58mh' } })) as KeyEntry
  t.regex(made.Id, /^12D3KooW/)
  const { Keys } = (await node.call('key/list', { options: { ipnsBase: 'v0' } })) as { Keys: KeyEntry[] }
  t.deepEqual(Keys[1], made)
  t.like(await node.call('key/rename', { args: ['a', 'b'] }), { Was: 'a', Now: 'b', Overwrite: false })
  t.deepEqual(await node.call('key/rm', { args: ['b'], options: { ipnsBase: 'b58mh' } }), { Keys: [{ Name: 'b', Id: made.Id }] })
})

test('a base that is not known keeps every command from doing anything', async t => {
  const node = await host(t)
  await node.call('key/gen', { args: ['a'] })
  const options = { ipnsBase: 'nope' }
  for (const [path, args] of [
    ['key/gen', ['z']],
    ['key/rename', ['a', 'b']],
    ['key/rm', ['a']]
  ] as const) {
    t.true(hasCode(await t.throwsAsync(node.call(path, { args, options })), 'E_MULTIBASE_UNSUPPORTED'))
  }
  const { Keys } = (await node.call('key/list')) as { Keys: KeyEntry[] }
  t.deepEqual(
    Keys.map(({ Name }) => Name),
    ['self', 'a']
  )
})

test('no error repeats a private key that was sent', async t => {
  const node = await host(t)
  const { privateKey } = await generateIdentity()
  const said = async (body: Uint8Array | string, format: string) =>
    (await t.throwsAsync(node.call('key/import', { args: ['x'], options: { format }, body: upload(body) })))?.message ?? ''
  const pem = pemOf(privateKey)
  const secret = Buffer.from(privateKey).subarray(4, 36)
  for (const message of [
    await said(privateKey, 'pem-pkcs8-cleartext'),
    await said(privateKey.subarray(0, 60), 'libp2p-protobuf-cleartext'),
    await said(pem, 'libp2p-protobuf-cleartext'),
    await said(pem.replace('PRIVATE KEY', 'RSA PRIVATE KEY'), 'pem-pkcs8-cleartext')
  ]) {
    t.false(Buffer.from(message, 'latin1').includes(secret.subarray(0, 8)), message)
    t.false(message.includes(pem.split('\n')[1]!.slice(0, 40)), message)
  }
})

test('a file that is too long for a key, and data too long to be signed, are refused with the limit', async t => {
  const node = await host(t, { maxInput: 10 })
  const long = await t.throwsAsync(node.call('key/import', { args: ['x'], body: upload(new Uint8Array(65_537)) }))
  t.true(hasCode(long, 'E_KEY_INPUT'))
  for (const path of ['key/sign', 'key/verify']) {
    const error = await t.throwsAsync(async () => itemsOf(await node.call(path, { body: upload('eleven char') })))
    t.true(hasCode(error, 'E_SIGN_INPUT'), error?.message)
    t.regex(error?.message ?? '', /plugins\.keys\.maxInput/)
  }
  t.is((await itemsOf(await node.call('key/sign', { body: upload('ten chars.') }))).length, 1)
})

test('a signature by a key is valid for its name and for its ID, and for no other', async t => {
  const node = await host(t)
  const { Id } = (await node.call('key/gen', { args: ['a'] })) as KeyEntry
  await node.call('key/gen', { args: ['b'] })
  const body = () => upload('data')
  const [signed] = await itemsOf<{ Signature: string }>(await node.call('key/sign', { options: { key: 'a' }, body: body() }))
  const valid = async (key: string) => {
    const [said] = await itemsOf<{ SignatureValid: boolean }>(
      await node.call('key/verify', { options: { key, signature: signed!.Signature }, body: body() })
    )
    return said?.SignatureValid
  }
  t.deepEqual(await Promise.all(['a', Id, `/ipns/${Id}`, 'b', 'self'].map(valid)), [true, true, true, false, false])
})

test('an RSA key that is too small is refused, in every format, and one bad file leaves the list of the others', async t => {
  const path = await temporaryFolder(t)
  const made = await createHost({ repo: { path: join(path, 'repo'), init: {} } })
  t.teardown(() => made.stop())
  await made.start()
  const pem = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const importing = made.call('key/import', { args: ['small'], options: { format: 'pem-pkcs8-cleartext' }, body: upload(String(pem)) })
  await t.throwsAsync(importing, { message: 'rsa keys must be >= 2048 bits to be useful' })
  await made.call('key/gen', { args: ['broken'] })
  const keystore = join(path, 'repo', 'keystore')
  for (const file of await readdir(keystore)) await writeFile(join(keystore, file), 'no key')
  await made.call('key/gen', { args: ['good'] })
  const { Keys } = (await made.call('key/list')) as { readonly Keys: ReadonlyArray<{ readonly Name: string; readonly Id: string }> }
  t.deepEqual(
    Keys.map(({ Name, Id }) => [Name, Id !== '']),
    [
      ['self', true],
      ['broken', false],
      ['good', true]
    ]
  )
})
