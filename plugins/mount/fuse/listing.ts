import { constants } from 'node:os'
import type { Handles } from './handles.ts'
import { type Attributes, decodeRead, encodeDirent } from './protocol.ts'

/** Entries of a directory that `READDIR` asks for in parts, as they were when it was opened. */
export class Listing {
  readonly #entries: Buffer[] = []

  constructor() {
    this.add('.', 'directory')
    this.add('..', 'directory')
  }

  get length(): number {
    return this.#entries.length
  }

  /** Adds an entry, unless the kernel would fail the whole listing for its name. */
  add(name: string, type: Attributes['type'] | 'unknown' = 'unknown'): void {
    const bytes = Buffer.from(name)
    if (this.#entries.length < 2 || canBeShown(bytes)) this.#entries.push(encodeDirent(bytes, type, this.#entries.length + 1))
  }

  /** As many entries from a place on as have room in `size` bytes. */
  read(offset: bigint, size: number): Buffer {
    const out: Buffer[] = []
    let length = 0
    for (const entry of this.#entries.slice(Number(offset), Number(offset) + 4096)) {
      length += entry.length
      if (length > size) break
      out.push(entry)
    }
    return Buffer.concat(out)
  }
}

/** The answer to `READDIR`, or `EBADF` for what is no open directory. */
export function listed(handles: Handles<unknown>, body: Buffer): Buffer | number {
  const { handle, offset, size } = decodeRead(body)
  const listing = handles.get(handle)
  return listing instanceof Listing ? listing.read(offset, size) : constants.errno.EBADF
}

function canBeShown(name: Buffer): boolean {
  return (
    name.length > 0 &&
    name.length <= 255 &&
    !name.includes(0) &&
    !name.includes('/') &&
    !name.equals(Buffer.from('.')) &&
    !name.equals(Buffer.from('..'))
  )
}
