import { generateKeyPairSync } from 'node:crypto'
import { generateKeyPair, privateKeyFromProtobuf, publicKeyFromProtobuf } from '@libp2p/crypto/keys'
import test from 'ava'
import { hasCode, type Identity } from '../../../core/index.ts'
import { generateIdentity, identityOf, identityOfPem, pemOf, sign, verify } from '../../../core/keys/index.ts'

const bytes = Buffer.from('what is signed')

async function identityFor(type: string): Promise<Identity> {
  if (type === 'ecdsa') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return identityOfPem(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
  }
  if (type !== 'secp256k1') return generateIdentity(type)
  const { raw } = await generateKeyPair('secp256k1')
  return identityOf(Buffer.concat([Uint8Array.of(8, 2, 0x12, 32), raw]))
}

for (const type of ['ed25519', 'rsa', 'secp256k1']) {
  test(`a signature with an ${type} key is checked by libp2p's own library, and its signatures here`, async t => {
    const identity = await identityFor(type)
    const theirs = privateKeyFromProtobuf(identity.privateKey)
    // of secp256k1 one whose `s` is in the upper half would be refused: one in two, were they not made low
    for (let i = 0; i < 8; i++) {
      const message = Buffer.concat([bytes, Uint8Array.of(i)])
      t.true(await publicKeyFromProtobuf(identity.publicKey).verify(message, sign(identity.privateKey, message)))
      t.true(verify(identity.publicKey, message, await theirs.sign(message)))
    }
  })
}

for (const type of ['ed25519', 'rsa', 'secp256k1', 'ecdsa']) {
  test(`a signature with an ${type} key is checked here`, async t => {
    const identity = await identityFor(type)
    t.is(identity.type, type as Identity['type'])
    t.true(verify(identity.publicKey, bytes, sign(identity.privateKey, bytes)))
  })

  test(`an ${type} key is the same key after a way through PEM`, async t => {
    const identity = await identityFor(type)
    const again = identityOfPem(pemOf(identity.privateKey))
    t.is(again.peerId, identity.peerId)
    t.deepEqual(Buffer.from(again.privateKey), Buffer.from(identity.privateKey))
  })

  test(`a signature of something else with an ${type} key is none`, async t => {
    const identity = await identityFor(type)
    const signature = sign(identity.privateKey, bytes)
    const broken = Uint8Array.from(signature, (byte, i) => (i === signature.length - 1 ? byte ^ 1 : byte))
    for (const [message, given] of [
      [Buffer.from('other'), signature],
      [bytes, broken],
      [bytes, new Uint8Array()]
    ] as const) {
      if (type === 'rsa')
        t.true(
          hasCode(
            t.throws(() => verify(identity.publicKey, message, given)),
            'E_SIGNATURE_RSA'
          )
        )
      else t.false(verify(identity.publicKey, message, given))
    }
  })
}

test('PEM that is no private key of a known type is named for what it is', t => {
  const said = (text: string) => t.throws(() => identityOfPem(text))?.message ?? ''
  t.is(said('no PEM'), 'PEM block not found in input data:\n')
  t.is(said('-----BEGIN X-----\nAAAA\n-----END X-----\n'), 'expected PRIVATE KEY type in PEM block but got: X')
  t.regex(said('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'), /^parsing PKCS8 format: /)
  const { privateKey } = generateKeyPairSync('x25519')
  t.is(
    said(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    'converting std Go key to libp2p key: invalid or unsupported key type'
  )
})
