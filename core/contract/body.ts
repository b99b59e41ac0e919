import type { Metadata } from '../unixfs/metadata.ts'

/** One part of an upload, in the order in which it was sent. Its bytes flow while they are read; what is not read is skipped. */
export interface BodyPart {
  /** The path, cleaned and absolute within the upload: `/`, `/a`, `/dir/a`; it never leaves it (`..` is resolved). `''`: no path at all. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  /** The bytes of a file; of a symlink its target's text; nothing for a directory. Can be read once. */
  bytes(options?: BytesOptions): AsyncIterable<Uint8Array>
  /** The same bytes in one piece, where all of them came with the request: small uploads mostly do. */
  readonly whole?: Uint8Array | undefined
  /** Header fields of the part, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the sender says the file lies (`Abspath`), for references instead of copies. */
  readonly absPath?: string
  /** The sender's word on the file's permissions and time of modification. */
  readonly metadata?: Metadata | undefined
}

export interface BytesOptions {
  /**
   * For who copies what it needs of each piece: the memory of a piece may be taken back, which leaves it with no bytes, as soon as the
   * next piece or the next part is asked for. A long upload then takes no more memory than a short one; otherwise its pieces wait for a
   * collection of garbage. Whoever keeps pieces, or hands them on to who may, leaves it out.
   */
  readonly lent?: boolean
}

/** The parts of an upload in order. Read as they arrive: nothing is held, nothing is spooled. */
export interface Body extends AsyncIterable<BodyPart> {
  /** The part of an upload that has one alone, where all of it came with the request: what reading the first would give. Read one or the other. */
  readonly only?: BodyPart | undefined
}

export interface BodyDeclaration {
  readonly name: string
  readonly help: string
  readonly required: boolean
  /** Whether a caller may send more than one. */
  readonly many: boolean
  /** Whether folders are taken, with all in them. */
  readonly folders: boolean
}

/**
 * The command takes files; `name` is what a caller who sent none is told about. On a command line they are the words behind the string
 * arguments, `-` or a pipe stands for standard input, and the options `recursive`, `hidden`, `ignore`, `ignoreRulesPath`,
 * `dereferenceArgs` and `stdinName` say what is read of them, where the command declares these.
 */
export function files(name: string, help = '', { many = true, folders = false } = {}): BodyDeclaration {
  return { name, help, required: true, many, folders }
}
