/** Certificates as peers show them (libp2p specs, tls), and such as none should. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'

const [SEQUENCE, INTEGER, BITS, OCTETS, OID, TIME] = [0x30, 0x02, 0x03, 0x04, 0x06, 0x18]

/** A value of DER behind its tag and its length. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), value])
}

const oid = (hex: string) => der(OID, Buffer.from(hex, 'hex'))
const time = (at: number) => der(TIME, Buffer.from(`${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`))

/** 1.2.840.10045.4.3.2, ECDSA with SHA-256. */
const ALGORITHM = der(SEQUENCE, oid('2a8648ce3d040302'))

/** 1.3.6.1.4.1.53594.1.1, the extension of libp2p. */
const LIBP2P = '2b0601040183a25a0101'

const DAY = 86_400_000

interface Making {
  /** Days from now between which it is valid. */
  readonly valid?: readonly [number, number]
  /** Its extension; null for none. */
  readonly extension?: { readonly oid?: string; readonly value?: Uint8Array; readonly signed?: string } | null
  /** Whose key signs it; default: its own. */
  readonly signer?: KeyObject
}

/** A certificate of a peer, with the key that it is for. */
export async function certificateOf(
  peer: PrivateKey,
  { valid: [from, to] = [-1, 1], extension = {}, signer }: Making = {}
): Promise<{ readonly cert: string; readonly key: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const { signed = 'libp2p-tls-handshake:', oid: name = LIBP2P, value } = extension ?? {}
  const proof = await peer.sign(Buffer.concat([Buffer.from(signed), spki]))
  const holds = value ?? der(SEQUENCE, der(OCTETS, publicKeyToProtobuf(peer.publicKey)), der(OCTETS, proof))
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ALGORITHM,
    der(SEQUENCE),
    der(SEQUENCE, time(Date.now() + from * DAY), time(Date.now() + to * DAY)),
    der(SEQUENCE),
    spki,
    ...(extension === null ? [] : [der(0xa3, der(SEQUENCE, der(SEQUENCE, oid(name), der(OCTETS, holds))))])
  )
  const signature = sign('sha256', body, signer ?? privateKey)
  const certificate = der(SEQUENCE, body, ALGORITHM, der(BITS, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  }
}

/** A key that signs for nobody who is known. */
export const strangersKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
