import { base32upper } from 'multiformats/bases/base32'
import { decodeMultihash, varintSize, writeVarint } from '../../../core/cid/index.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../core/dag/index.ts'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/index.ts'
import { messageOf, type Place } from '../../../core/index.ts'
import { routingKey } from '../../../core/ipns/index.ts'
import { migrateErrors } from '../errors.ts'

/** Where the root of the mutable tree lies in the datastore (Kubo 0.28, core/node/core.go). */
export const FILES_ROOT = '/local/filesroot'
/** Where the records lie that a node has published itself (boxo 0.19, namesys/ipns_publisher.go). */
const PUBLISHED = '/ipns/'
/** Where references of the filestore lie (boxo 0.19, filestore). */
export const REFERENCES = '/filestore/'

/** The key of the last record that was published under a name. */
export function publishedKey(multihash: Uint8Array): string {
  return PUBLISHED + base32upper.encoder.baseEncode(multihash)
}

/** The key of the best record that is known of a name (boxo 0.19, routing/offline). */
export function knownKey(multihash: Uint8Array): string {
  return `/${base32upper.encoder.baseEncode(routingKey(multihash))}`
}

/** Tags of the fields of a record in the DHT's envelope (go-libp2p-record, pb/record.proto). */
const KEY_FIELD = 0x0a
const VALUE_FIELD = 0x12

/** A record as {@link knownKey} has it: with its key beside it. */
export function inEnvelope(multihash: Uint8Array, record: Uint8Array): Uint8Array {
  return Buffer.concat([field(KEY_FIELD, routingKey(multihash)), field(VALUE_FIELD, record)])
}

function field(tag: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes])
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(value))
  writeVarint(value, bytes, 0)
  return bytes
}

/** The name whose published record lies under a key; undefined for a key of something else. */
export function nameOfPublished(key: string): Uint8Array | undefined {
  return key.startsWith(PUBLISHED) ? multihashIn(key.slice(PUBLISHED.length)) : undefined
}

/** The name whose best known record lies under a key; undefined for a key of something else. */
export function nameOfKnown(key: string): Uint8Array | undefined {
  if (!KNOWN.test(key)) return undefined
  try {
    const bytes = base32upper.decoder.baseDecode(key.slice(1))
    const name = bytes.subarray(PUBLISHED.length)
    return Buffer.from(bytes.subarray(0, PUBLISHED.length)).toString('latin1') === PUBLISHED ? decodeMultihash(name).bytes : undefined
  } catch {
    return undefined
  }
}

const KNOWN = /^\/[A-Z2-7]+$/

/** The record in its envelope; undefined where there is none. */
export function outOfEnvelope(bytes: Uint8Array): Uint8Array | undefined {
  let record: Uint8Array | undefined
  eachField(bytes, (tag, value) => {
    if (tag === VALUE_FIELD && typeof value !== 'number') record = value
  })
  return record
}

/** A block that lies elsewhere. */
export interface KuboReference extends Place {
  readonly multihash: Uint8Array
}

export const isReference = (key: string): boolean => key.startsWith(REFERENCES)

const PATH = 0x0a
const OFFSET = 0x10
const SIZE = 0x18

/** Reads a reference. Its path is as it is noted: a URL, or relative to the folder above the repo. @throws E_KUBO_FILE */
export function readReference(key: string, bytes: Uint8Array, folder: string): KuboReference {
  const fault = (why: string) => migrateErrors.E_KUBO_FILE(folder, `the reference ${key} in it cannot be read: ${why}`)
  const multihash = multihashIn(key.slice(REFERENCES.length))
  if (multihash === undefined) throw fault('its key is no multihash')
  const found = { path: '', offset: 0, size: 0 }
  try {
    eachField(bytes, (tag, value) => {
      if (tag === PATH && typeof value !== 'number') found.path = decodeUtf8(value)
      else if (tag === OFFSET) found.offset = Number(value)
      else if (tag === SIZE) found.size = Number(value)
    })
  } catch (error) {
    throw fault(messageOf(error))
  }
  if (found.path === '') throw fault('it names no file')
  return { multihash, ...found }
}

export function referenceEntry({ multihash, path, offset, size }: KuboReference): readonly [key: string, value: Uint8Array] {
  const value = Buffer.concat([field(PATH, encodeUtf8(path)), Buffer.from([OFFSET, ...varint(offset), SIZE, ...varint(size)])])
  return [REFERENCES + base32upper.encoder.baseEncode(multihash), value]
}

/** Goes through the fields of a protobuf message. @throws E_UNEXPECTED_EOF and its kin */
function eachField(bytes: Uint8Array, field: (tag: number, value: number | Uint8Array) => void): void {
  const reader = new ProtobufReader(bytes)
  while (reader.at < reader.end) {
    const tag = reader.tag()
    if ((tag & 7) === VARINT) field(tag, reader.number())
    else if ((tag & 7) === LENGTH_DELIMITED) {
      const end = reader.delimited()
      field(tag, bytes.subarray(reader.at, end))
      reader.at = end
    } else throw new Error(`wire type ${tag & 7}`)
  }
}

function multihashIn(text: string): Uint8Array | undefined {
  try {
    const bytes = base32upper.decoder.baseDecode(text)
    return decodeMultihash(bytes).bytes
  } catch {
    return undefined
  }
}
