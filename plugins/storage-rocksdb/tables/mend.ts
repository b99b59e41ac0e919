import { open, readdir, readFile } from 'node:fs/promises'
import { messageOf } from '../../../core/index.ts'
import { storageErrors } from '../errors.ts'
import { isMissing } from '../files.ts'
import type { Piece } from './block.ts'
import { readLog } from './logs.ts'
import { mendTable } from './table.ts'

/** A bit that was wrong and is right again. */
export interface Mended {
  readonly path: string
  readonly at: number
}

const EXTENSION = '.sst'

/** The table, and the piece of it, that an error of RocksDB's is about. */
export function tableOf(error: unknown): { path: string; piece: Piece | undefined } | undefined {
  const message = messageOf(error)
  const end = message.lastIndexOf(EXTENSION) + EXTENSION.length
  const begin = message.lastIndexOf(' in ', end)
  if (end < EXTENSION.length || begin < 0) return undefined
  const [, offset, size] = /^ offset (\d{1,15}) size (\d{1,9})/.exec(message.slice(end)) ?? []
  return { path: message.slice(begin + 4, end), piece: offset === undefined ? undefined : { offset: Number(offset), size: Number(size) } }
}

/** Whether an error of RocksDB's says that what it read is not what it wrote. */
export function isDamage(error: unknown): boolean {
  return /checksum|corrupt|magic number|footer/i.test(messageOf(error))
}

/** Turns back the one bit of a table that an error of RocksDB's is about. @returns undefined where more is wrong, or something else */
export async function mendAfter(error: unknown): Promise<Mended | undefined> {
  const found = tableOf(error)
  const at = found && (await mendTable(found.path, found.piece).catch(() => undefined))
  return found === undefined || at === undefined ? undefined : { path: found.path, at }
}

/**
 * Turns single wrong bits of RocksDB's logs back before it opens them: it takes the first piece that is not whole for the end, forgets what is behind that, and
 * removes the tables that only the rest names.
 *
 * @throws E_STORAGE_MANIFEST where more is wrong with the log of its tables
 */
export async function mendLogs(folder: string): Promise<Mended[]> {
  const names = await readdir(folder).catch(error => {
    if (isMissing(error)) return []
    throw error
  })
  const mended: Mended[] = []
  const current = await mendCurrent(folder, names)
  if (current !== undefined) mended.push(current)
  for (const name of names.filter(one => /^MANIFEST-\d+$|^\d+\.log$/.test(one))) {
    const path = `${folder}/${name}`
    const bytes = await readFile(path)
    const { mended: places, broken, behind } = readLog(bytes, false)
    for (const at of places) {
      await writeByte(path, bytes, at)
      mended.push({ path, at })
    }
    if (name.startsWith('MANIFEST') && broken !== undefined && behind > 0) throw storageErrors.E_STORAGE_MANIFEST(path, broken)
  }
  return mended
}

/** The file that names the log of the tables, of which there is one. */
async function mendCurrent(folder: string, names: readonly string[]): Promise<Mended | undefined> {
  if (!names.includes('CURRENT')) return undefined
  const path = `${folder}/CURRENT`
  const bytes = await readFile(path)
  const isRight = () => bytes.at(-1) === 0x0a && names.includes(bytes.subarray(0, -1).toString('latin1'))
  if (isRight()) return undefined
  for (let at = 0; at < bytes.length; at++)
    for (let mask = 1; mask < 256; mask <<= 1) {
      bytes[at]! ^= mask
      if (isRight()) {
        await writeByte(path, bytes, at)
        return { path, at }
      }
      bytes[at]! ^= mask
    }
  return undefined
}

async function writeByte(path: string, bytes: Buffer, at: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(bytes, at, 1, at)
    await file.datasync()
  } finally {
    await file.close()
  }
}
