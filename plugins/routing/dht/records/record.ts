import { type Field, readFields, writeFields } from '../wire.ts'

/** A value under its key, as peers of a DHT hand it on (go-libp2p-record 0.2, pb/record.proto). */
interface DhtRecord {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

const KEY = 1
const VALUE = 2
const RECEIVED = 5

/** @throws E_DHT_MESSAGE */
export function readRecord(bytes: Uint8Array): DhtRecord {
  let key: Uint8Array = new Uint8Array()
  let value: Uint8Array = new Uint8Array()
  for (const [field, of] of readFields(bytes)) {
    if (typeof of === 'number') continue
    if (field === KEY) key = of.slice()
    else if (field === VALUE) value = of.slice()
  }
  return { key, value }
}

/** @param received - when this node got it; some peers take none without, or with fewer digits */
export function writeRecord({ key, value }: DhtRecord, received: Date): Uint8Array {
  const fields: Field[] = [
    [KEY, key],
    [VALUE, value],
    [RECEIVED, Buffer.from(`${received.toISOString().slice(0, -1)}000000Z`)]
  ]
  return writeFields(fields)
}
