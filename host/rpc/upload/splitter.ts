import { dagErrors } from '../../../core/dag/errors.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import { trimBlanksStart } from './blanks.ts'
import { endAfter, endOfText, possibleStart, prefixAt } from './delimiter.ts'
import { multipartErrors } from './errors.ts'
import { type HeaderFields, HeaderReader } from './header.ts'
import { LONGEST, Recent } from './recent.ts'

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
/** The number of starts that are none after which somebody is taken to be making them. */
const MISSES = 16

const recentHeaders = new Recent<HeaderFields>()
const BLANK_LINE = '\r\n\r\n'

const EMPTY = Buffer.alloc(0)
const LF = 10

/**
 * Splits a multipart body as Go's `mime/multipart` does, which is more lenient than RFC 2046: text before the first boundary is skipped,
 * lines may end in LF alone when the first boundary's does, space may follow a boundary, and a body that ends in a part's header is simply
 * over. Bytes are searched natively and handed on as views; no more than a boundary or a header is ever held back.
 */
export class Splitter {
  readonly #dash: Buffer
  readonly #events: SplitterEvents
  readonly #limits: SplitterLimits
  #delimiter: Buffer
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
  /** The header of the first part, where it is a short one that is there whole. */
  #headerText = ''

  constructor(boundary: string, events: SplitterEvents, limits: SplitterLimits) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#dash = this.#delimiter.subarray(2)
    this.#events = events
    this.#limits = limits
  }

  write(chunk: Buffer): void {
    if (this.#state === 'over') return
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const at = this.#consume(bytes, false)
    this.#held = at === bytes.length ? EMPTY : Buffer.from(bytes.subarray(at))
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

  /** @returns from where on the bytes have to wait for more */
  #consume(bytes: Buffer, last: boolean): number {
    let at = 0
    while (this.#state !== 'over') {
      const next = this.#state === 'data' ? this.#data(bytes, at, last) : this.#line(bytes, at, last)
      if (next < 0) return at
      at = next
    }
    return bytes.length
  }

  /** @returns up to where the bytes from `at` on were used; -1 when more are needed */
  #data(bytes: Buffer, at: number, last: boolean): number {
    if (!this.#started) {
      const opens = prefixAt(bytes, this.#dash, at)
      if (opens === 'partial' && !last) return -1
      if (opens === 'whole') {
        const end = endAfter(bytes, at + this.#dash.length, last)
        if (end === undefined) return -1
        if (end) return this.#closePart(at)
      }
      this.#started = true
    }
    for (let from = at; ; ) {
      const found = this.#find(bytes, from)
      if (found < 0) break
      const end = endAfter(bytes, found + this.#delimiter.length, last)
      if (end === undefined) return this.#pass(bytes, at, found)
      if (end) {
        this.#pass(bytes, at, found)
        return this.#closePart(found)
      }
      from = found + this.#delimiter.length
    }
    if (last) {
      this.#pass(bytes, at, bytes.length)
      this.#events.partEnd(dagErrors.E_UNEXPECTED_EOF())
      this.#fail(multipartErrors.E_MULTIPART_NEXT('EOF'))
      return bytes.length
    }
    return this.#pass(bytes, at, possibleStart(bytes, this.#delimiter, at))
  }

  /**
   * Where the next delimiter is. V8 searches for long needles in strides of their length, but for those of less than eight bytes it jumps
   * from one first byte to the next, which beats short strides: so of a short delimiter only the start is searched.
   */
  #find(bytes: Buffer, from: number): number {
    const delimiter = this.#delimiter
    if (delimiter.length >= LONG_NEEDLE) return bytes.indexOf(delimiter, from)
    const start = delimiter.subarray(0, SHORT_NEEDLE)
    let at = bytes.indexOf(start, from)
    for (let misses = 0; at >= 0 && prefixAt(bytes, delimiter, at) !== 'whole'; misses++) {
      at = misses < MISSES ? bytes.indexOf(start, at + 1) : bytes.indexOf(delimiter, at + 1)
    }
    return at
  }

  #pass(bytes: Buffer, at: number, end: number): number {
    if (end === at) return -1
    this.#events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    return end
  }

  #closePart(at: number): number {
    this.#events.partEnd()
    this.#state = 'between'
    this.#expectPart = false
    return at
  }

  /** Everything but data comes in lines. */
  #line(bytes: Buffer, at: number, last: boolean): number {
    // Of an upload with many parts each has a name of its own.
    if (this.#state === 'header' && this.#headerBytes === 0 && this.#parts === 1) {
      const end = this.#knownHeader(bytes, at)
      if (end > 0) return end
    }
    const feed = bytes.indexOf(LF, at)
    const end = feed < 0 ? bytes.length : feed + 1
    const most = this.#state === 'header' ? this.#limits.partHeaderBytes - this.#headerBytes : LINE_BYTES
    if (end - at > most) return this.#tooLong(at)
    if (feed < 0 && !last) return -1
    if (this.#state === 'header') this.#headerLine(bytes, at, end, feed < 0)
    else this.#outsideLine(bytes, at, end, feed < 0)
    return end
  }

  #tooLong(at: number): number {
    const inHeader = this.#state === 'header'
    this.#fail(inHeader ? multipartErrors.E_MULTIPART_HEADER_LARGE() : multipartErrors.E_MULTIPART_NEXT('bufio: buffer full'))
    return at
  }

  /** @returns the end of a header that was read before; 0 where there is none */
  #knownHeader(bytes: Buffer, at: number): number {
    const text = bytes.toString('latin1', at, Math.min(at + LONGEST, bytes.length))
    const length = text.indexOf(BLANK_LINE) + BLANK_LINE.length
    this.#headerText = length < BLANK_LINE.length ? '' : text.slice(0, length)
    const fields = length > this.#limits.partHeaderBytes ? undefined : recentHeaders.get(this.#headerText)
    if (fields === undefined) return 0
    this.#beginData(fields)
    return at + length
  }

  #beginData(fields: HeaderFields): void {
    this.#state = 'data'
    this.#started = false
    this.#events.part(fields)
  }

  #headerLine(bytes: Buffer, at: number, end: number, cut: boolean): void {
    if (cut && end === at) {
      this.#over()
      return
    }
    this.#headerBytes += end - at
    try {
      const fields = this.#header.line(bytes.toString('latin1', at, endOfText(bytes, at, end)))
      if (fields === undefined) return
      // where lines end in LF alone, an empty line of the data looks like its end
      if (this.#parts === 1 && this.#headerText.length === this.#headerBytes) recentHeaders.set(this.#headerText, Object.freeze(fields))
      this.#beginData(fields)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #outsideLine(bytes: Buffer, at: number, end: number, cut: boolean): void {
    const padding = this.#afterDash(bytes, at, end)
    const line = () => goQuote(decodeUtf8(bytes.subarray(at, end)))
    if (padding?.startsWith('--') && this.#isFinal(padding.slice(2))) this.#over()
    else if (cut) this.#fail(multipartErrors.E_MULTIPART_NEXT('EOF'))
    else if (padding !== undefined && this.#isBoundary(padding)) this.#openPart()
    else if (this.#state === 'preamble') return
    else if (this.#expectPart) this.#fail(multipartErrors.E_MULTIPART_EXPECTED(line()))
    else if (bytes.toString('latin1', at, end) === this.#newline) this.#expectPart = true
    else this.#fail(multipartErrors.E_MULTIPART_UNEXPECTED(line()))
  }

  /** The rest of a line behind `--boundary`; undefined when the line starts otherwise. */
  #afterDash(bytes: Buffer, at: number, end: number): string | undefined {
    const start = at + this.#dash.length
    return start <= end && prefixAt(bytes, this.#dash, at) === 'whole' ? bytes.toString('latin1', start, end) : undefined
  }

  #openPart(): void {
    if (++this.#parts > this.#limits.parts) {
      this.#fail(multipartErrors.E_MULTIPART_PARTS(this.#limits.parts))
      return
    }
    this.#state = 'header'
    if (this.#parts > 1) this.#header = new HeaderReader()
    this.#headerBytes = 0
  }

  #isBoundary(padding: string): boolean {
    const behind = trimBlanksStart(padding)
    if (this.#parts === 0 && behind === '\n') {
      // the first boundary decides how lines end
      this.#newline = '\n'
      this.#delimiter = this.#delimiter.subarray(1)
    }
    return behind === this.#newline
  }

  #isFinal(padding: string): boolean {
    const behind = trimBlanksStart(padding)
    return behind === '' || behind === this.#newline
  }

  #over(): void {
    this.#state = 'over'
    this.#events.end()
  }

  #fail(error: Error): void {
    this.#state = 'over'
    this.#events.fail(error)
  }
}
