/** One part of an upload, in the order in which it was sent. Its bytes flow while they are read; what is not read is skipped. */
export interface BodyPart {
  /** Cleaned and absolute within the upload: `/`, `/a`, `/dir/a`; never leaves it (`..` is resolved). `''`: no path at all. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  /** The bytes of a file; of a symlink its target's text; nothing for a directory. Can be read once. */
  bytes(): AsyncIterable<Uint8Array>
  /** Header fields of the part, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the sender says the file lies (`Abspath`), for references instead of copies. */
  readonly absPath?: string
}

/** The parts of an upload in order. Read as they arrive: nothing is held, nothing is spooled. */
export type Body = AsyncIterable<BodyPart>

export interface BodyDeclaration {
  readonly name: string
  readonly help: string
  readonly required: boolean
}

/** The command takes files; `name` is what a caller who sent none is told about. */
export function files(name: string, help = ''): BodyDeclaration {
  return { name, help, required: true }
}
