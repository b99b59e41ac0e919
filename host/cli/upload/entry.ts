import type { Metadata } from '../../../core/index.ts'

/** One thing to send, in the order of sending: a folder goes before what is in it. */
export interface UploadEntry {
  /** The path within the upload, its names joined by `/`; `''` for what has none. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Where it lies on this machine. */
  readonly absPath?: string
  /** Permissions and time of modification, where they are to be kept. */
  readonly metadata?: Metadata | undefined
  /** The bytes of a file, the target of a symlink; nothing for a folder. */
  bytes(): AsyncIterable<Uint8Array>
}

/** An upload that is to be sent. */
export interface UploadSource {
  entries(): AsyncIterable<UploadEntry>
  /** Bytes of all files, for those who watch; undefined while they are counted, or where nobody can tell. */
  total(): number | undefined
}

/** The bytes of a piece of text. */
export async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
