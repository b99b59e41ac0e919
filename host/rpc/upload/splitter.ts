import { dagErrors } from '../../../core/dag/errors.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import { multipartErrors } from './errors.ts'
import { type HeaderFields, HeaderReader } from './header.ts'

/** The events that a splitter reports, in order. After `fail` and `end` comes nothing more. */
export interface SplitterEvents {
  part(header: HeaderFields): void
  /** A piece of the part's data; it is a view on the bytes that were written. */
  data(bytes: Buffer): void
  /** Nothing is a view on `bytes` but what {@link data} told of before. */
  spent?(bytes: Buffer): void
  /** The part is over. With an error where the body ended inside it. */
  partEnd(error?: Error): void
  end(): void
  fail(error: Error): void
}

export interface SplitterLimits {
  readonly parts: number
  readonly partHeaderBytes: number
}

/** The longest line that may stand outside of parts: Go's reader keeps this much. */
const LINE_BYTES = 4096

type State = 'preamble' | 'header' | 'data' | 'between' | 'over'

const LONG_NEEDLE = 32
const SHORT_NEEDLE = 7
/** After so many starts that are none, somebody is making them. */
const MISSES = 16

const EMPTY = Buffer.alloc(0)
const LF = 10
const CR = 13
const DASH = 45

/**
 * Splits a multipart body as Go's `mime/multipart` does, which is more lenient than RFC 2046: text before the first boundary is skipped,
 * lines may end in LF alone when the first boundary's does, space may follow a boundary, and a body that ends in a part's header is simply
 * over. Bytes are searched natively and handed on as views; no more than a boundary or a header is ever held back.
 */
export class Splitter {
  readonly #dash: Buffer
  readonly #final: Buffer
  readonly #events: SplitterEvents
  readonly #limits: SplitterLimits
  #delimiter: Buffer
  #start: Buffer
  #newline = '\r\n'
  #state: State = 'preamble'
  #held: Buffer = EMPTY
  #parts = 0
  /** Whether the line end between a part's data and the next boundary has been seen. */
  #expectPart = false
  /** Whether the current part has data already. */
  #started = false
  #header = new HeaderReader()
  #headerBytes = 0

  constructor(boundary: string, events: SplitterEvents, limits: SplitterLimits) {
    this.#dash = Buffer.from(`--${boundary}`, 'latin1')
    this.#final = Buffer.from(`--${boundary}--`, 'latin1')
    this.#delimiter = Buffer.concat([Buffer.from('\r\n'), this.#dash])
    this.#start = this.#delimiter.subarray(0, SHORT_NEEDLE)
    this.#events = events
    this.#limits = limits
  }

  write(chunk: Buffer): void {
    if (this.#state === 'over') return
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const rest = this.#consume(bytes, false)
    this.#held = rest.length === 0 ? EMPTY : Buffer.from(rest)
    this.#events.spent?.(bytes)
  }

  /** The body has come to its end, or to `error`. */
  end(error?: Error): void {
    const bytes = this.#held
    this.#held = EMPTY
    if (error === undefined) this.#consume(bytes, true)
    else if (this.#state !== 'over') {
      if (this.#state === 'data') this.#events.partEnd(error)
      this.#fail(error)
    }
  }

  /** @returns the bytes that have to wait for more */
  #consume(bytes: Buffer, last: boolean): Buffer {
    let rest = bytes
    for (let state: State = this.#state; state !== 'over'; state = this.#state) {
      const used = state === 'data' ? this.#data(rest, last) : this.#line(rest, last)
      if (used < 0) break
      if (used > 0) rest = rest.subarray(used)
    }
    return rest
  }

  /** @returns how many bytes were used; -1 when more are needed */
  #data(bytes: Buffer, last: boolean): number {
    if (!this.#started) {
      const opens = prefixAt(bytes, this.#dash, 0)
      if (opens === 'partial' && !last) return -1
      if (opens === 'whole') {
        const end = endAfter(bytes, this.#dash.length, last)
        if (end === undefined) return -1
        if (end) return this.#closePart(0)
      }
      this.#started = true
    }
    for (let from = 0; ; ) {
      const at = this.#find(bytes, from)
      if (at < 0) break
      const end = endAfter(bytes, at + this.#delimiter.length, last)
      if (end === undefined) return this.#pass(bytes, at)
      if (end) {
        this.#pass(bytes, at)
        return this.#closePart(at)
      }
      from = at + this.#delimiter.length
    }
    if (last) {
      this.#pass(bytes, bytes.length)
      this.#events.partEnd(dagErrors.E_UNEXPECTED_EOF())
      this.#fail(multipartErrors.E_MULTIPART_NEXT('EOF'))
      return bytes.length
    }
    return this.#pass(bytes, possibleStart(bytes, this.#delimiter))
  }

  /**
   * Where the next delimiter is. V8 searches for long needles in strides of their length, but for those of less than eight bytes it jumps
   * from one first byte to the next, which beats short strides: so of a short delimiter only the start is searched.
   */
  #find(bytes: Buffer, from: number): number {
    const delimiter = this.#delimiter
    if (delimiter.length >= LONG_NEEDLE) return bytes.indexOf(delimiter, from)
    let at = bytes.indexOf(this.#start, from)
    for (let misses = 0; at >= 0 && prefixAt(bytes, delimiter, at) !== 'whole'; misses++) {
      at = misses < MISSES ? bytes.indexOf(this.#start, at + 1) : bytes.indexOf(delimiter, at + 1)
    }
    return at
  }

  #pass(bytes: Buffer, length: number): number {
    if (length === 0) return -1
    this.#events.data(length === bytes.length ? bytes : bytes.subarray(0, length))
    return length
  }

  #closePart(used: number): number {
    this.#events.partEnd()
    this.#state = 'between'
    this.#expectPart = false
    return used
  }

  /** Everything but data comes in lines. */
  #line(bytes: Buffer, last: boolean): number {
    const at = bytes.indexOf(LF)
    const most = this.#state === 'header' ? this.#limits.partHeaderBytes - this.#headerBytes : LINE_BYTES
    if (at < 0 ? bytes.length > most : at + 1 > most) return this.#tooLong()
    if (at < 0 && !last) return -1
    const line = at < 0 ? bytes : bytes.subarray(0, at + 1)
    if (this.#state === 'header') this.#headerLine(line, at < 0)
    else this.#outsideLine(line, at < 0)
    return line.length
  }

  #tooLong(): number {
    const inHeader = this.#state === 'header'
    return this.#fail(inHeader ? multipartErrors.E_MULTIPART_HEADER_LARGE() : multipartErrors.E_MULTIPART_NEXT('bufio: buffer full'))
  }

  #headerLine(line: Buffer, cut: boolean): void {
    if (cut && line.length === 0) {
      this.#over()
      return
    }
    this.#headerBytes += line.length
    try {
      const fields = this.#header.line(withoutEnd(line).toString('latin1'))
      if (fields === undefined) return
      this.#state = 'data'
      this.#started = false
      this.#events.part(fields)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #outsideLine(line: Buffer, cut: boolean): void {
    if (this.#isFinal(line)) this.#over()
    else if (cut) this.#fail(multipartErrors.E_MULTIPART_NEXT('EOF'))
    else if (this.#isBoundary(line)) this.#openPart()
    else if (this.#state === 'preamble') return
    else if (this.#expectPart) this.#fail(multipartErrors.E_MULTIPART_EXPECTED(goQuote(decodeUtf8(line))))
    else if (line.toString('latin1') === this.#newline) this.#expectPart = true
    else this.#fail(multipartErrors.E_MULTIPART_UNEXPECTED(goQuote(decodeUtf8(line))))
  }

  #openPart(): void {
    if (++this.#parts > this.#limits.parts) {
      this.#fail(multipartErrors.E_MULTIPART_PARTS(this.#limits.parts))
      return
    }
    this.#state = 'header'
    this.#header = new HeaderReader()
    this.#headerBytes = 0
  }

  #isBoundary(line: Buffer): boolean {
    const rest = restAfter(line, this.#dash)
    if (rest === undefined) return false
    if (this.#parts === 0 && rest === '\n') {
      // the first boundary decides how lines end
      this.#newline = '\n'
      this.#delimiter = Buffer.concat([Buffer.from('\n'), this.#dash])
      this.#start = this.#delimiter.subarray(0, SHORT_NEEDLE)
    }
    return rest === this.#newline
  }

  #isFinal(line: Buffer): boolean {
    const rest = restAfter(line, this.#final)
    return rest === '' || rest === this.#newline
  }

  #over(): void {
    this.#state = 'over'
    this.#events.end()
  }

  #fail(error: Error): number {
    this.#state = 'over'
    this.#events.fail(error)
    return 0
  }
}

/** The rest of a line behind `start`, leading blanks left out; undefined when the line starts otherwise. */
function restAfter(line: Buffer, start: Buffer): string | undefined {
  if (prefixAt(line, start, 0) !== 'whole') return undefined
  return line.toString('latin1', start.length).replace(/^[ \t]+/, '')
}

/** Whether `bytes` has `wanted` at `at`: not, wholly, or up to where the bytes end. */
function prefixAt(bytes: Buffer, wanted: Buffer, at: number): 'no' | 'partial' | 'whole' {
  const length = Math.min(wanted.length, bytes.length - at)
  if (bytes.compare(wanted, 0, length, at, at + length) !== 0) return 'no'
  return length === wanted.length ? 'whole' : 'partial'
}

/** Whether what follows a delimiter makes it one; undefined when that is not known yet. */
function endAfter(bytes: Buffer, at: number, last: boolean): boolean | undefined {
  if (at >= bytes.length) return last ? true : undefined
  const next = bytes[at]
  if (next === 32 || next === 9 || next === CR || next === LF) return true
  if (next !== DASH) return false
  if (at + 1 >= bytes.length) return last ? false : undefined
  return bytes[at + 1] === DASH
}

/** From where on the bytes may be the start of a delimiter that goes on in the next ones. */
function possibleStart(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter[0]!
  for (let at = bytes.lastIndexOf(first); at >= 0 && at > bytes.length - delimiter.length; ) {
    if (prefixAt(bytes, delimiter, at) !== 'no') return at
    if (at === 0) break
    at = bytes.lastIndexOf(first, at - 1)
  }
  return bytes.length
}

function withoutEnd(line: Buffer): Buffer {
  const end = line.at(-1) !== LF ? line.length : line.at(-2) === CR ? line.length - 2 : line.length - 1
  return line.subarray(0, end)
}
