import { goMode } from '../../core/unixfs/go-mode.ts'
import { chunksOf, partsOf, type ReadyPart, type Upload } from './content.ts'

const TYPES = { file: 'application/octet-stream', directory: 'application/x-directory', symlink: 'application/symlink' } as const

/** A path that may stand in a header field as it is. */
const PLAIN = /^[\x20-\x7e]+$/

/** An upload as a multipart body. */
export class Multipart {
  readonly contentType: string
  readonly #boundary: string
  readonly #upload: Upload

  constructor(upload: Upload) {
    const random = crypto.getRandomValues(new Uint8Array(18))
    this.#boundary = `holdfast-${Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('')}`
    this.contentType = `multipart/form-data; boundary=${this.#boundary}`
    this.#upload = upload
  }

  /** The body as it is made, part by part; nothing is held. */
  async *stream(): AsyncGenerator<Uint8Array> {
    const utf8 = new TextEncoder()
    let before = ''
    for await (const part of partsOf(this.#upload)) {
      yield utf8.encode(before + this.#head(part))
      if (part.content !== '') yield* chunksOf(part.content)
      before = '\r\n'
    }
    yield utf8.encode(before + this.#end)
  }

  /** The body as a whole. What is a Blob already (a file that a person chose) is referred to, everything else is gathered. */
  async blob(): Promise<Blob> {
    const pieces: Array<string | Blob | Uint8Array<ArrayBuffer>> = []
    for await (const part of partsOf(this.#upload)) {
      pieces.push(this.#head(part))
      if (isBlob(part.content)) pieces.push(part.content)
      else for await (const chunk of chunksOf(part.content)) pieces.push(chunk as Uint8Array<ArrayBuffer>)
      pieces.push('\r\n')
    }
    pieces.push(this.#end)
    return new Blob(pieces)
  }

  #head(part: ReadyPart): string {
    const { path, kind, absPath } = part
    const lines = [
      `--${this.#boundary}`,
      `Content-Disposition: form-data; name="file${metadataOf(part)}"; filename="${escaped(path)}"`,
      `Content-Type: ${TYPES[kind]}`
    ]
    // older nodes read the first only, which cannot carry every path
    if (absPath !== undefined) lines.push(PLAIN.test(absPath) ? `Abspath: ${absPath}` : `Abspath-Encoded: ${escaped(absPath)}`)
    return `${lines.join('\r\n')}\r\n\r\n`
  }

  get #end(): string {
    return `--${this.#boundary}--\r\n`
  }
}

/** Text in percent-encoding; a lone surrogate U+DC00 + byte, which stands for a byte that is no UTF-8, as that byte. */
function escaped(text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text)
  return Array.from(text, char => {
    const byte = char.charCodeAt(0) - 0xdc00
    return char.isWellFormed() ? encodeURIComponent(char) : byte >= 0x80 && byte <= 0xff ? `%${byte.toString(16)}` : '%EF%BF%BD'
  }).join('')
}

/** The metadata of a file in the name of its part (boxo 0.40, files/multifilereader.go). */
function metadataOf({ mode, mtime }: ReadyPart): string {
  if (mode === undefined && mtime === undefined) return ''
  const query = new URLSearchParams()
  if (mode !== undefined) query.append('mode', `0${goMode(mode).toString(8)}`)
  if (mtime !== undefined) query.append('mtime', String(mtime.seconds))
  if (mtime?.nanoseconds) query.append('mtime-nsecs', String(mtime.nanoseconds))
  return `?${query}`
}

function isBlob(content: unknown): content is Blob {
  return content instanceof Blob
}
