/** The bytes of one file, in any form that can be read. */
export type Content =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array>

/** One file, folder or symbolic link of an upload. */
export interface Part {
  /** Its place within the upload, e.g. `folder/a.txt`. Folders on the way need no part of their own. */
  readonly path?: string
  /** The bytes of a file, or the target of a symbolic link; undefined for a folder. */
  readonly content?: Content | undefined
  readonly kind?: 'file' | 'directory' | 'symlink'
  /** Where the file lies on the machine of the node, for references in place of copies. */
  readonly absPath?: string | undefined
  /** Permissions, as POSIX numbers them: 0 to 0o7777. Kept where the command is asked to: `preserveMode`. */
  readonly mode?: number | undefined
  /** The time of modification: seconds since 1970, and nanoseconds after them. Kept with `preserveMtime`. */
  readonly mtime?: { readonly seconds: number | bigint; readonly nanoseconds?: number } | undefined
}

/** An upload: one file's content, or parts in their order. A web `File` brings its name. */
export type Upload = Content | Part | Iterable<Part | File> | AsyncIterable<Part | File>

/** A part as it is sent. */
export interface ReadyPart extends Part {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly content: Content
}

/** The parts of an upload one after the other. Whether an iterable is one file or many parts is seen by its first item. */
export async function* partsOf(upload: Upload): AsyncGenerator<ReadyPart> {
  if (isWhole(upload)) yield ready(upload)
  else if (!isIterable(upload)) yield ready(upload)
  else {
    const items = Symbol.asyncIterator in upload ? upload[Symbol.asyncIterator]() : upload[Symbol.iterator]()
    const first = await items.next()
    if (first.done === true) return
    if (isChunk(first.value)) {
      yield ready(continued(first.value, items as AsyncIterator<Uint8Array | string>))
      return
    }
    try {
      yield ready(first.value)
      for (let step = await items.next(); step.done !== true; step = await items.next()) yield ready(step.value as Part | File)
    } finally {
      await items.return?.()
    }
  }
}

async function* continued(first: Uint8Array | string, items: AsyncIterator<Uint8Array | string> | Iterator<Uint8Array | string>) {
  try {
    yield first
    for (let step = await items.next(); step.done !== true; step = await items.next()) yield step.value
  } finally {
    await items.return?.()
  }
}

function ready(part: Part | Content): ReadyPart {
  if (isFile(part)) return { path: part.webkitRelativePath || part.name, kind: 'file', content: part }
  if (isWhole(part) || isIterable(part)) return { path: '', kind: 'file', content: part }
  const { path = '', content, kind = content === undefined ? 'directory' : 'file' } = part
  return { ...part, path, kind, content: content ?? '' }
}

const utf8 = new TextEncoder()

/** The bytes of a content as they come. */
export async function* chunksOf(content: Content): AsyncGenerator<Uint8Array> {
  if (isChunk(content)) yield bytesOf(content)
  else if (isBuffer(content)) yield new Uint8Array(content)
  else if (isBlob(content)) yield* readStream(content.stream() as ReadableStream<Uint8Array>)
  else if (isStream(content)) yield* readStream(content)
  else for await (const chunk of content) yield bytesOf(chunk)
}

/** Reads a stream; one that is left early is cancelled. */
export async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        ended = true
        return
      }
      yield value
    }
  } catch (error) {
    ended = true
    throw error
  } finally {
    if (!ended) await reader.cancel().catch(() => {})
  }
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? utf8.encode(chunk) : chunk
}

type Whole = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>

function isWhole(value: unknown): value is Whole {
  return isChunk(value) || isBuffer(value) || isBlob(value) || isStream(value)
}

function isChunk(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || ArrayBuffer.isView(value)
}

function isBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

// values of another realm (a frame, a worker's parent) are no instances of this one's classes
function isBlob(value: unknown): value is Blob {
  return typeof (value as Partial<Blob> | null)?.arrayBuffer === 'function' && typeof (value as Partial<Blob>).stream === 'function'
}

function isFile(value: unknown): value is File & { readonly webkitRelativePath?: string } {
  return isBlob(value) && typeof (value as Partial<File>).name === 'string'
}

function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof (value as Partial<ReadableStream> | null)?.getReader === 'function'
}

function isIterable<T>(value: T): value is Extract<T, AsyncIterable<unknown> | Iterable<unknown>> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
}
