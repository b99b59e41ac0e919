import { randomBytes } from 'node:crypto'
import { decodeCid } from '../../../core/cid/index.ts'
import { type CID, Key } from '../../../core/index.ts'
import type { RequestId } from './request.ts'

const ROOT = '/pinning-service'
/** More than any time has milliseconds, so that what is taken from it has twelve digits in hexadecimal. */
const END = 2 ** 48 - 1

export const PREFIXES = {
  requests: `${ROOT}/requests/`,
  waiting: `${ROOT}/waiting/`,
  cids: `${ROOT}/cids/`,
  held: `${ROOT}/held/`
} as const

/** An ID whose order is that of time backwards: the newest request of a client is the first of its keys. */
export function newId(milliseconds: number): string {
  return (END - milliseconds).toString(16).padStart(12, '0') + randomBytes(10).toString('hex')
}

/** Whether a text can be the ID of a request. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** The key of the request itself. */
export const requestKey = (of: RequestId): Key => key(PREFIXES.requests, partOf(of))
/** The key that says that it is to be worked on. */
export const waitingKey = (of: RequestId): Key => key(PREFIXES.waiting, partOf(of))
/** The key that says that it wants this CID. */
export const cidKey = (cid: CID, of: RequestId): Key => key(prefixOfCid(cid), partOf(of))
/** The key that says that the node's pin of the CID is the service's. */
export const heldKey = (cid: CID): Key => key(PREFIXES.held, textOf(cid))

export const prefixOfOwner = (owner: string): string => `${PREFIXES.requests}${nameOf(owner)}/`
export const prefixOfCid = (cid: CID, owner?: string): string =>
  `${PREFIXES.cids}${textOf(cid)}/${owner === undefined ? '' : `${nameOf(owner)}/`}`

/** The request, with its owner, that a key below a prefix names. */
export function idIn(of: Key): RequestId {
  const [owner = '', id = ''] = of.toString().split('/').slice(-2)
  return { owner: Buffer.from(owner, 'base64url').toString(), id }
}

/** The CID in a key of {@link cidKey} or {@link heldKey}. */
export function cidIn(of: Key): CID {
  const [, , , text = ''] = of.toString().split('/')
  return decodeCid(new Uint8Array(Buffer.from(text, 'base64url')))
}

function key(prefix: string, name: string): Key {
  return new Key(prefix + name, false)
}

function partOf({ owner, id }: RequestId): string {
  return `${nameOf(owner)}/${id}`
}

function nameOf(owner: string): string {
  return Buffer.from(owner).toString('base64url')
}

function textOf({ bytes }: CID): string {
  return Buffer.from(bytes).toString('base64url')
}
