import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { varintSize, writeVarint } from '../../../core/cid/index.ts'
import { encodeUtf8 } from '../../../core/go/index.ts'
import { syncFolder, writeWhole } from '../../../core/repo/index.ts'
import { maskedSum } from './crc32c.ts'
import { FIRST, FULL, HEAD, LAST, MIDDLE, PIECE } from './log.ts'
import { BYTEWISE, COMPARATOR, LAST_SEQUENCE, LOG, NEXT_FILE } from './manifest.ts'

/** A record goes to the log when it has so many bytes. */
const RECORD = 64 * 1024
const MANIFEST_NAME = 'MANIFEST-000001'
const LOG_NUMBER = 2

/**
 * A new LevelDB database: a log that holds all, from which LevelDB makes its tables when it opens it first. It is one only once it is ended.
 */
export class DatabaseWriter {
  readonly #folder: string
  readonly #log: FileHandle
  #at = 0
  #batch: Uint8Array[] = []
  #bytes = 0
  #sequence = 1n

  private constructor(folder: string, log: FileHandle) {
    this.#folder = folder
    this.#log = log
  }

  /** @param folder - made anew; there must be none */
  static async create(folder: string): Promise<DatabaseWriter> {
    await mkdir(folder, { mode: 0o700 })
    return new DatabaseWriter(folder, await open(join(folder, `${String(LOG_NUMBER).padStart(6, '0')}.log`), 'wx', 0o600))
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    const entry = Buffer.concat([Buffer.from([1]), prefixed(encodeUtf8(key)), prefixed(value)])
    this.#batch.push(entry)
    this.#bytes += entry.length
    if (this.#bytes >= RECORD) await this.#flush()
  }

  /** The sync after which all that was put survives power loss. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#log.sync()
    await this.close()
    const name = prefixed(encodeUtf8(BYTEWISE))
    const edit = Buffer.concat([
      Buffer.from([COMPARATOR]),
      name,
      Buffer.from([LOG, LOG_NUMBER, NEXT_FILE, LOG_NUMBER + 1, LAST_SEQUENCE, 0])
    ])
    await writeWhole(join(this.#folder, MANIFEST_NAME), Buffer.concat(framed(edit, 0)))
    await writeWhole(join(this.#folder, 'CURRENT'), `${MANIFEST_NAME}\n`)
    await syncFolder(this.#folder)
  }

  /** Lets go of the log, whatever has become of it. */
  async close(): Promise<void> {
    await this.#log.close()
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return
    const head = Buffer.alloc(12)
    head.writeBigUInt64LE(this.#sequence, 0)
    head.writeUInt32LE(this.#batch.length, 8)
    const frames = Buffer.concat(framed(Buffer.concat([head, ...this.#batch]), this.#at))
    await this.#log.appendFile(frames)
    this.#at += frames.length
    this.#sequence += BigInt(this.#batch.length)
    this.#batch = []
    this.#bytes = 0
  }
}

/** A record as a log has it from a place on: split where a piece of the log ends. */
function framed(record: Uint8Array, from: number): Uint8Array[] {
  const frames: Uint8Array[] = []
  let at = from
  let done = 0
  do {
    const left = PIECE - (at % PIECE)
    if (left < HEAD) {
      frames.push(new Uint8Array(left))
      at += left
      continue
    }
    const part = record.subarray(done, done + left - HEAD)
    const isFirst = done === 0
    done += part.length
    const isLast = done === record.length
    const head = Buffer.alloc(HEAD)
    head.writeUInt16LE(part.length, 4)
    head[6] = isFirst ? (isLast ? FULL : FIRST) : isLast ? LAST : MIDDLE
    head.writeUInt32LE(maskedSum(head.subarray(6), part), 0)
    frames.push(head, part)
    at += HEAD + part.length
  } while (done < record.length)
  return frames
}

function prefixed(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(varintSize(bytes.length) + bytes.length)
  out.set(bytes, writeVarint(bytes.length, out, 0))
  return out
}
