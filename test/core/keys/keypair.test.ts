import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { generateIdentity, identityOf } from '../../../core/keys/keypair.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** libp2p specs, peer-ids: test vectors. */
const VECTORS = [
  {
    type: 'ed25519',
    privateKey:
      '080112407e0830617c4a7de83925dfb2694556b12936c477a0e1feb2e148ec9da60fee7d1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e',
    publicKey: '080112201ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e'
  },
  {
    type: 'secp256k1',
    privateKey: '0802122053dadf1d5a164d6b4acdb15e24aa4c5b1d3461bdbd42abedb0a4404d56ced8fb',
    publicKey: '08021221037777e994e452c21604f91de093ce415f5432f701dd8cd1a7a6fea0e630bfca99'
  },
  {
    type: 'ecdsa',
    privateKey:
      '08031279307702010104203e5b1fe9712e6c314942a750bd67485de3c1efe85b1bfb520ae8f9ae3dfa4a4ca00a06082a8648ce3d030107a14403420004de3d300fa36ae0e8f5d530899d83abab44abf3161f162a4bc901d8e6ecda020e8b6d5f8da30525e71d6851510c098e5c47c646a597fb4dcec034e9f77c409e62',
    publicKey:
      '0803125b3059301306072a8648ce3d020106082a8648ce3d03010703420004de3d300fa36ae0e8f5d530899d83abab44abf3161f162a4bc901d8e6ecda020e8b6d5f8da30525e71d6851510c098e5c47c646a597fb4dcec034e9f77c409e62'
  }
] as const

for (const { type, privateKey, publicKey } of VECTORS) {
  test(`the public key of an ${type} key is the one libp2p's specification gives`, t => {
    const identity = identityOf(Buffer.from(privateKey, 'hex'))
    t.is(identity.type, type)
    t.is(hex(identity.publicKey), publicKey)
  })
}

for (const type of ['ed25519', 'rsa']) {
  test(`a generated ${type} key is the same key and the same peer to libp2p's own library`, async t => {
    const made = await generateIdentity(type)
    const theirs = privateKeyFromProtobuf(made.privateKey)
    t.is(theirs.type.toLowerCase(), type)
    t.is(peerIdFromPrivateKey(theirs).toString(), made.peerId)
    t.deepEqual(
      Buffer.from(theirs.publicKey.raw),
      Buffer.from(privateKeyFromProtobuf(identityOf(made.privateKey).privateKey).publicKey.raw)
    )
    t.is(identityOf(made.privateKey).peerId, made.peerId)
  })
}

test('an ed25519 key in the older form of 96 bytes is accepted', async t => {
  const { privateKey, peerId } = await generateIdentity()
  const data = privateKey.subarray(4)
  const older = Buffer.concat([Uint8Array.of(0x08, 0x01, 0x12, 96), data, data.subarray(32)])
  t.is(identityOf(older).peerId, peerId)
})

test('an ed25519 key whose public half is another key is refused', async t => {
  const [one, other] = await Promise.all([generateIdentity(), generateIdentity()])
  const mixed = Buffer.concat([one.privateKey.subarray(0, 36), other.privateKey.subarray(36)])
  const error = t.throws(() => identityOf(mixed))
  t.true(hasCode(error, 'E_KEY_INVALID'))
})

test('a key of RSA or ECDSA whose parts do not belong together is refused, so that no damaged one is that of another peer', async t => {
  const rsa = await generateIdentity('rsa')
  const ecdsa = await generateKeyPair('ECDSA')
  const keys = [rsa.privateKey, privateKeyToProtobuf(ecdsa)]
  for (const key of keys) {
    const { peerId } = identityOf(key)
    for (let at = 0; at < key.length; at += 3) {
      const damaged = Uint8Array.from(key)
      damaged[at]! ^= 1 << (at % 8)
      try {
        t.is(identityOf(damaged).peerId, peerId, `at ${at} of ${key.length}`)
      } catch (error) {
        t.true(hasCode(error, 'E_KEY_INVALID'), `at ${at}: ${error}`)
      }
    }
  }
})

test('every cut-off private key is refused with its own error', async t => {
  const { privateKey } = await generateIdentity()
  for (let length = 0; length < privateKey.length; length++) {
    const error = t.throws(() => identityOf(privateKey.subarray(0, length)))
    t.true(hasCode(error, 'E_KEY_INVALID'), `${length}: ${error?.message}`)
  }
})

test('sizes and types of keys that are not made are named', async t => {
  t.is((await t.throwsAsync(generateIdentity('rsa', 2047)))?.message, 'rsa keys must be >= 2048 bits to be useful')
  t.is((await t.throwsAsync(generateIdentity('rsa', 8193)))?.message, 'rsa keys must be <= 8192 bits')
  t.is((await t.throwsAsync(generateIdentity('dsa')))?.message, 'unrecognized key type: dsa')
})
