import { createHash } from 'node:crypto'
import test from 'ava'
import { codecByName, codecName, multicodecs } from '../../../core/cid/codecs.ts'
import { cidErrors } from '../../../core/cid/errors.ts'
import { digestInTurns, digestSync, hashFunctions } from '../../../core/cid/hashers.ts'
import { checkCidSecurity, hashByName, hashName, hashNames, isSecureHash } from '../../../core/cid/hashes.ts'
import { cidOfDigest, sumCid } from '../../../core/cid/sum.ts'

const foo = Buffer.from('foo\n')

for (const [name, cid] of [
  ['identity', 'bafkqabdgn5xqu'],
  ['sha1', 'bafkrcfhr2ljpsjhjq2win7pxwnwjjpg7gk7oyfi'],
  ['sha2-256', 'bafkreifvxooyaffa7gy5mhrb46lnpdom34jvf4r42mubf5efbodyvzeujq'],
  ['sha2-512', 'bafkrgqam7emau5skxkdduz5w24xqsgf4cmogo4tefsznzzndj4fhal4uodo4fpyslqjbtcyzsxbdhq2ljl6ti3cuuizuynikssffdnxiwttlm'],
  ['sha3', 'bafkriqdpdmlbkxk7q6xzi4tqwiqczfbswzh7a6ea4o6rassqmbn4b6kj2tsl6mgn3ozfpj7tuveicqu7ixx5wq734fbxd6px6xfrm6e5xelv2'],
  ['sha3-224', 'bafkrohc7nnzuxxw5t7bl34bnddyw56b3xo4rpcxl4xupnltz5gra'],
  ['sha3-256', 'bafkrmicsddprbqhl4ozy25h6abancmmyvrewi2sdxljxhoi63cd5242pz4'],
  ['sha3-384', 'bafkrkmfe2yx573sii6nisuo6qcoz6nqegcpipa6xktmuyccczco5wvco5fr36zaggzcckhqfehfejlfjonia'],
  ['keccak-256', 'bafkrwieujjhizczsuybbeaxgpimyj5oytz4yuenriajjm5qp2kklxxdvvq'],
  ['shake-256', 'bafkrsqcpe4maf3qu4hh7ep62tewjxynid5qmepsxesnn3s7545odxy5okcrhwxcmr6canlfutdzwchsubkhfnyi3imzuqbqg4i7c5ghciwdgq'],
  ['dbl-sha2-256', 'bafkvmignirvikn7fsblmtgnow7wni73lj6bpqyyj2cdytmlj2q7jzzjzgu'],
  ['blake2b-160', 'bafkzjzaccrewaphensjmmfvn7ppdzq6xulh6nsrloy'],
  ['blake2b-256', 'bafk2bzaceaqfscssytyalcgfaaziwfwum3eyfitpvovf7jg4zayffxikqtzdg'],
  ['blake2b-512', 'bafk4bzacidjafv4vdxzmjnyrzjcljpgj26zwh6sckijh4bmmdkiq5qc3ntidrvy4yijcdqbrya2z7gj6orvqp5mwlt4mlq3unjmdg6wzvnsspdtx'],
  ['blake2s-256', 'bafk6bzacebjbgzwtr6yj2drgnc3mf2mu5jxuugxpa5ybjvcjzqkdv6uzdnlba'],
  ['blake3', 'bafkr4icj3sdq34o6p7lapfgoxtset5om3lsxll72uz5cjnrkzmb6aoo3si']
] as const) {
  test(`a block hashed with ${name} has the CID that Kubo 0.28 gives it`, t => {
    t.is(sumCid({ version: 1, codec: 0x55, hash: hashByName(name)! }, foo).toString(), cid)
  })
}

test('every registered function makes digests of the length it says', t => {
  for (const { code, size } of hashFunctions) t.is(digestSync(code, foo).length, size ?? foo.length)
})

test('a digest that is made in pieces is the one that is made at once', async t => {
  const long = Buffer.alloc((1 << 20) + 1, 'piece')
  for (const hasher of hashFunctions) {
    const { code, name, size } = hasher
    const hashing = hasher.begin?.()
    hashing?.update(foo.subarray(0, 1))
    hashing?.update(foo.subarray(1))
    if (hashing !== undefined) t.deepEqual(Buffer.from(hashing.digest()), Buffer.from(digestSync(code, foo)), name)
    const cut = size === undefined || size < 20 ? undefined : 20
    if (/^(sha2-256|shake-256|blake3)$/.test(name)) {
      t.deepEqual(Buffer.from(await digestInTurns(hasher, long, cut)), Buffer.from(digestSync(code, long, cut)), name)
    }
  }
  const keccak = hashFunctions.find(({ name }) => name === 'keccak-512')!
  const controller = new AbortController()
  const made = digestInTurns(keccak, Buffer.alloc(4 << 20), undefined, controller)
  controller.abort(new Error('left'))
  await t.throwsAsync(async () => made, { message: 'left' })
})

test('the functions without an allowed name are right as well', t => {
  const openssl = (name: string) => createHash(name).update(foo).digest('hex')
  const hex = (code: number) => Buffer.from(digestSync(code, foo)).toString('hex')
  t.is(hex(0x20), openssl('sha384'))
  t.is(hex(0x1013), openssl('sha224'))
  t.is(hex(0x1014), openssl('sha512-224'))
  t.is(hex(0x1015), openssl('sha512-256'))
  t.is(hex(0xd5), openssl('md5'))
  t.is(Buffer.from(digestSync(0x22, Buffer.from('beep boop'))).toString('hex'), 'acfe9c5bbf88f075')
})

test('digests are cut to the length asked for, and never made longer', t => {
  t.is(digestSync(0x12, foo, 20).length, 20)
  t.is(digestSync(0x12, foo, -1).length, 32)
  t.is(digestSync(0x1e, foo, 128).length, 128)
  for (const [code, length] of [
    [0x12, 33],
    [0x19, 65],
    [0x1e, 129],
    [0x1e, 0],
    [0x1e, -2]
  ] as const) {
    t.is(t.throws(() => digestSync(code, foo, length)).message, 'requested length was too large for digest')
  }
})

test('unregistered functions are named by their number', t => {
  t.is(t.throws(() => digestSync(0x1100, foo)).message, 'unknown multihash code 4352 (0x1100): no such hash registered')
  const error = t.throws(() => sumCid({ version: 1, codec: 0x55, hash: 0x1a }, foo))
  t.is(error.message, 'invalid cid: unknown multihash code 26 (0x1a): no such hash registered')
})

test('version 0 is sha2-256 in full', t => {
  t.is(sumCid({ version: 0, codec: 0x70, hash: 0x12 }, foo).toString().slice(0, 2), 'Qm')
  t.throws(() => sumCid({ version: 0, codec: 0x70, hash: 0x13 }, foo), { message: 'invalid cid: invalid v0 prefix' })
})

test('names of hash functions lead to codes and back', t => {
  for (const { name, code } of hashNames) {
    t.is(hashByName(name), code)
    t.is(hashName(code), name)
  }
  t.is(hashByName('SHA1'), undefined)
  t.is(hashName(0x9999), undefined)
})

test('73 named hash functions are taken', t => {
  t.is(hashNames.filter(({ code }) => isSecureHash(code)).length, 73)
})

test('CIDs of weak hashes and of too short or long digests are refused', t => {
  const refuse = (hash: number, size: number) => t.throws(() => checkCidSecurity(cidOfDigest(1, 0x55, hash, new Uint8Array(size)))).message
  t.is(refuse(0xd5, 16), cidErrors.E_HASH_INSECURE().message)
  t.is(refuse(0x18, 32), 'potentially insecure hash functions not allowed')
  t.is(refuse(0xb201 + 18, 19), 'potentially insecure hash functions not allowed')
  t.is(refuse(0x12, 19), 'hashes must be at least 20 bytes long')
  t.is(refuse(0x1e, 129), 'hashes must be at most 128 bytes long')
  t.notThrows(() => checkCidSecurity(cidOfDigest(1, 0x55, 0, new Uint8Array(500))))
  t.notThrows(() => checkCidSecurity(cidOfDigest(1, 0x55, 0x12, new Uint8Array(20))))
})

test('codecs are found by name and by number', t => {
  t.is(multicodecs.length, 531)
  for (const { name, code } of multicodecs) t.is(codecByName(name), code)
  t.is(codecByName('0x55'), 85)
  t.is(codecByName('297'), 297)
  t.is(codecByName('0x3fffff'), 0x3fffff)
  t.is(codecName(0x71), 'dag-cbor')
  t.is(codecName(99999999), 'Code(99999999)')
})

for (const name of ['', 'RAW', 'dag_cbor', 'v0', 'sha3', '-1', '99999999', '0x400000', '1e3', '"']) {
  test(`${JSON.stringify(name)} is no codec`, t => {
    t.is(t.throws(() => codecByName(name)).message, `unknown multicodec: ${JSON.stringify(name)}`)
  })
}
