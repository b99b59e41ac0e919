import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { messageOf } from '../../core/index.ts'
import { denylistErrors } from './errors.ts'
import { type Header, MOST_HEADER, NO_HEADER, parseHeader } from './header.ts'

/** Longest line, in bytes (IPIP-383). */
export const MOST_LINE = 2 << 20
const PIECE = 64 << 10
const NEWLINE = 0x0a

/** Why a pipe, a device or a socket is no list. */
export const IRREGULAR = 'it is no regular file'

/** A line of a list and its number in the file. */
interface Line {
  readonly text: string
  readonly number: number
}

/** The header of a list, and the lines behind it, a piece of the file at a time. @throws E_DENYLIST_FILE */
export async function openList(path: string): Promise<{ readonly header: Header; readonly lines: AsyncGenerator<readonly Line[]> }> {
  // a pipe would have this wait for a writer
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(error => {
    throw denylistErrors.E_DENYLIST_FILE(path, messageOf(error))
  })
  try {
    if (!(await file.stat()).isFile()) throw denylistErrors.E_DENYLIST_FILE(path, IRREGULAR)
    const start = Buffer.alloc(MOST_HEADER)
    const { bytesRead } = await file.read(start, 0, MOST_HEADER, 0)
    const found = /^---[ \t]*\r?$/m.exec(start.toString('latin1', 0, bytesRead))
    const end = found === null ? 0 : found.index + found[0].length
    const head = start.toString('utf8', 0, found?.index ?? 0)
    const header = found === null ? NO_HEADER : await parseHeader(path, head)
    const skipped = found === null ? 0 : head.split('\n').length
    const lines = async function* () {
      try {
        yield* linesOf(path, file.createReadStream({ start: end === 0 ? 0 : end + 1, highWaterMark: PIECE, autoClose: false }), skipped)
      } finally {
        await file.close()
      }
    }
    return { header, lines: lines() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* linesOf(path: string, pieces: AsyncIterable<Buffer>, before: number): AsyncGenerator<readonly Line[]> {
  let number = before
  const line = (bytes: Buffer): Line => ({ text: bytes.toString(), number: ++number })
  let incomplete: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    const nul = piece.indexOf(0)
    if (nul >= 0) {
      const before = linesIn(piece.subarray(0, piece.lastIndexOf(NEWLINE, nul) + 1)).length
      throw denylistErrors.E_DENYLIST_FILE(path, `line ${number + before + 1} has a NUL byte, which no text in UTF-8 has`)
    }
    const end = piece.lastIndexOf(NEWLINE)
    if (end >= 0) {
      yield linesIn(Buffer.concat([...incomplete, piece.subarray(0, end + 1)])).map(line)
      incomplete = []
      length = 0
    }
    // a copy: a piece of the reader's memory would be held by a short rest
    incomplete.push(Buffer.from(piece.subarray(end + 1)))
    length += piece.length - end - 1
    if (length > MOST_LINE) throw denylistErrors.E_DENYLIST_FILE(path, `line ${number + 1} has more than ${MOST_LINE} bytes`)
  }
  if (length > 0) yield [line(Buffer.concat(incomplete))]
}

/** Lines of bytes that end with one. */
function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at)
    lines.push(bytes.subarray(at, end))
    at = end + 1
  }
  return lines
}
