import { migrateErrors } from '../errors.ts'
import { maskedSum } from './crc32c.ts'

/** Bytes of a piece of a log: records do not cross its border, but for what is split into several (LevelDB, doc/log_format.md). */
export const PIECE = 32 * 1024
/** Sum, length, kind. */
export const HEAD = 7
export const FULL = 1
export const FIRST = 2
export const MIDDLE = 3
export const LAST = 4

/**
 * The records of a log or a manifest. LevelDB itself leaves out what is torn, and goes on; here every byte has to be as it was written, as what
 * would be left out may be a pin.
 *
 * @throws E_LEVELDB_FILE
 */
export function* recordsOf(bytes: Uint8Array, file: string): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fault = (at: number, why: string) => migrateErrors.E_LEVELDB_FILE(file, `${why} (byte ${at})`)
  let parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const left = PIECE - (at % PIECE)
    if (left < HEAD) {
      // too little for the head of a record, so none was written there
      if (bytes.subarray(at, at + left).some(byte => byte !== 0)) throw fault(at, 'there is something between its records')
      at += left
      continue
    }
    if (at + HEAD > bytes.length) throw fault(at, 'it ends in the middle of a record')
    const size = view.getUint16(at + 4, true)
    const kind = bytes[at + 6]!
    const end = at + HEAD + size
    if (size > left - HEAD) throw fault(at, 'a record is longer than it can be')
    if (end > bytes.length) throw fault(at, 'it ends in the middle of a record')
    const part = bytes.subarray(at + HEAD, end)
    if (maskedSum(bytes.subarray(at + 6, at + HEAD), part) !== view.getUint32(at, true)) throw fault(at, 'the sum of a record is wrong')
    const isBegun = parts.length > 0
    if (kind < FULL || kind > LAST || (kind === FULL || kind === FIRST) === isBegun) throw fault(at, 'a record is out of place')
    parts.push(part)
    if (kind === FULL || kind === LAST) {
      yield parts.length === 1 ? part : Buffer.concat(parts)
      parts = []
    }
    at = end
  }
  if (parts.length > 0) throw fault(bytes.length, 'it ends in the middle of a record')
}
