import type { Part } from '../../client/content.ts'
import type { UploadEntry, UploadSource } from './entry.ts'

/**
 * The parts of an upload, as the client takes them.
 *
 * @param onSent - told of the bytes of files
 */
export async function* partsOf(source: UploadSource, onSent: (bytes: number) => void): AsyncGenerator<Part> {
  for await (const { path, kind, absPath, metadata, bytes } of source.entries()) {
    const content = kind === 'file' ? counted(bytes(), onSent) : bytes()
    yield { path, kind, absPath, ...metadata, content: kind === 'directory' ? undefined : content }
  }
}

/** The same bytes, each chunk told of before it is handed on. */
export async function* counted(bytes: ReturnType<UploadEntry['bytes']>, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    onBytes(chunk.length)
    yield chunk
  }
}
