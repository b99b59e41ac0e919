import { randomBytes } from 'node:crypto'
import type { Metadata } from '../../../core/index.ts'
import { goMode } from '../../../core/unixfs/metadata.ts'
import type { UploadEntry, UploadSource } from './entry.ts'

const TYPES: Readonly<Record<UploadEntry['kind'], string>> = {
  file: 'application/octet-stream',
  directory: 'application/x-directory',
  symlink: 'application/symlink'
}

/** An upload as the body of a request (boxo 0.19, files/multifilereader.go). */
export class Multipart {
  readonly #boundary = randomBytes(30).toString('hex')
  readonly #source: UploadSource

  constructor(source: UploadSource) {
    this.#source = source
  }

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`
  }

  /** @param onBytes - told of the bytes of files, not of what is around them */
  async *chunks(onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    let first = true
    for await (const entry of this.#source.entries()) {
      yield Buffer.from(`${first ? '' : '\r\n'}--${this.#boundary}\r\n${headerOf(entry)}\r\n\r\n`)
      first = false
      for await (const bytes of entry.bytes()) {
        onBytes(entry.kind === 'file' ? bytes.length : 0)
        yield bytes
      }
    }
    yield Buffer.from(`${first ? '' : '\r\n'}--${this.#boundary}--\r\n`)
  }
}

function headerOf({ path, kind, absPath, metadata }: UploadEntry): string {
  const lines = [
    `Content-Disposition: form-data; name="file${queryOf(metadata)}"; filename="${queryEscape(path)}"`,
    `Content-Type: ${TYPES[kind]}`
  ]
  // older nodes read the first only, which cannot carry every path
  if (absPath !== undefined) lines.push(/^[\x20-\x7e]+$/.test(absPath) ? `Abspath: ${absPath}` : `Abspath-Encoded: ${queryEscape(absPath)}`)
  return lines.join('\r\n')
}

/** What the name of a field tells of the file (boxo 0.40, files/multifilereader.go). */
function queryOf({ mode, mtime }: Metadata = {}): string {
  const pairs = [
    mode === undefined ? '' : `mode=0${goMode(mode).toString(8)}`,
    mtime === undefined ? '' : `mtime=${mtime.seconds}${mtime.nanoseconds > 0 ? `&mtime-nsecs=${mtime.nanoseconds}` : ''}`
  ].filter(pair => pair !== '')
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** As Go's url.QueryEscape: a space is a plus. */
export function queryEscape(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
