import { randomBytes } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { decodeCid } from '../../../core/cid/index.ts'
import { asStored, decodeCbor, encodeCbor, type Node } from '../../../core/dag/index.ts'
import { encodeUtf8 } from '../../../core/go/index.ts'
import { messageOf, type PinMode } from '../../../core/index.ts'
import { migrateErrors } from '../errors.ts'

/** Where pins lie in the datastore (boxo 0.19, pinning/pinner/dspinner/pin.go). */
export const PINS = '/pins/pin/'
const INDEXES = '/pins/index/'
/** Whether the indexes have to be made anew: one byte. */
const DIRTY = '/pins/state/dirty'

const MODES: readonly PinMode[] = ['recursive', 'direct']

export interface KuboPin {
  readonly cid: CID
  readonly mode: PinMode
  /** `''`: none. */
  readonly name: string
}

/** Reads a pin. @throws E_KUBO_FILE, which names the folder of the datastore and the key */
export function readPin(key: string, value: Uint8Array, folder: string): KuboPin {
  try {
    const map = decodeCbor(value, { links: false })
    if (!(map instanceof Map)) throw new Error('it is no map')
    const [cid, mode, name] = ['cid', 'mode', 'name'].map(member => map.get(member))
    const kind = MODES[Number(mode)]
    if (!(cid instanceof Uint8Array) || kind === undefined) throw new Error('it has no CID, or no mode')
    if (name !== undefined && typeof name !== 'string') throw new Error('its name is no text')
    return { cid: decodeCid(new Uint8Array(cid)), mode: kind, name: name ?? '' }
  } catch (error) {
    throw migrateErrors.E_KUBO_FILE(folder, `the pin ${key} in it cannot be read: ${messageOf(error)}`)
  }
}

/** The keys and values that stand for a pin, those by which Kubo finds it among them. */
export function pinEntries({ cid, mode, name }: KuboPin): ReadonlyArray<readonly [key: string, value: Uint8Array]> {
  const id = randomBytes(16).toString('hex')
  const index = mode === 'recursive' ? 'cidRindex' : 'cidDindex'
  return [
    [PINS + id, encodePin(cid, mode, name)],
    [`${INDEXES}${index}/${indexed(cid.bytes)}/${indexed(encodeUtf8(id))}`, NOTHING],
    ...(name === '' ? [] : [[`${INDEXES}nameIndex/${indexed(encodeUtf8(name))}/${indexed(encodeUtf8(id))}`, NOTHING] as const])
  ]
}

/** Says that the indexes are as they should be. */
export const CLEAN: readonly [key: string, value: Uint8Array] = [DIRTY, new Uint8Array([0])]

const NOTHING = new Uint8Array(0)

function encodePin(cid: CID, mode: PinMode, name: string): Uint8Array {
  const members = new Map<string, Node>([
    ['cid', cid.bytes],
    ['mode', BigInt(MODES.indexOf(mode))]
  ])
  if (name !== '') members.set('name', name)
  return encodeCbor(members, { links: false, order: asStored })
}

/** As the indexes have keys and values: multibase in base64url. */
function indexed(bytes: Uint8Array): string {
  return `u${Buffer.from(bytes).toString('base64url')}`
}
