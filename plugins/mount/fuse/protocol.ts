/** Requests of the kernel that are answered here, by their numbers (Linux, uapi/linux/fuse.h). */
export const Op = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  SETATTR: 4,
  READLINK: 5,
  MKNOD: 8,
  MKDIR: 9,
  UNLINK: 10,
  RMDIR: 11,
  RENAME: 12,
  OPEN: 14,
  READ: 15,
  WRITE: 16,
  STATFS: 17,
  RELEASE: 18,
  FSYNC: 20,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  FSYNCDIR: 30,
  CREATE: 35,
  INTERRUPT: 36,
  DESTROY: 38,
  BATCH_FORGET: 42,
  RENAME2: 45
} as const

/** Bytes before the body of a request, and before that of an answer. */
const [REQUEST_HEAD, ANSWER_HEAD] = [40, 16]

/** The version that is spoken: the layout of every message below is that of 7.31. */
const [MAJOR, MINOR] = [7, 31]

/** Bytes of a directory's entry before its name. */
const ENTRY_HEAD = 24

/** Bits of a mode, and the types of a directory's entries that are these bits moved by 12. */
const MODES = { directory: 0o040555, file: 0o100444, symlink: 0o120444 } as const

/** The bit of a mode that lets the owner write. */
const WRITABLE = 0o200

/** Most bytes of one read, and of one write. */
export const MOST_AT_ONCE = 128 << 10

/** Bit of the answer to `INIT`: writes may be larger than a page. */
const BIG_WRITES = 1 << 5

/** Bit of `SETATTR`: a size is set. */
const SETS_SIZE = 1 << 3

/** The attributes of a node for the kernel. */
export interface Attributes {
  readonly id: bigint
  readonly type: keyof typeof MODES
  /** Bytes of a file or of a symlink's target; 0 of a directory. */
  readonly size: bigint
  readonly isWritable?: boolean
}

/** A request: which node it is about, and the body that follows its head. */
export interface Request {
  readonly op: number
  /** The number by which it is answered, and interrupted. */
  readonly unique: bigint
  readonly node: bigint
  readonly body: Buffer
}

/** Reads a request. @throws RangeError where it is shorter than its head, or not as long as it says */
export function decodeRequest(bytes: Buffer): Request {
  if (bytes.length < REQUEST_HEAD || bytes.readUInt32LE(0) !== bytes.length)
    throw new RangeError(`a request of ${bytes.length} bytes is not whole`)
  return {
    op: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    node: bytes.readBigUInt64LE(16),
    body: bytes.subarray(REQUEST_HEAD)
  }
}

/** An answer: a body, or the number of an error (`ENOENT` is 2) and nothing else. */
export function encodeAnswer(unique: bigint, answer: Uint8Array | number): Buffer {
  const body = typeof answer === 'number' ? new Uint8Array(0) : answer
  const head = Buffer.alloc(ANSWER_HEAD)
  head.writeUInt32LE(ANSWER_HEAD + body.length, 0)
  head.writeInt32LE(typeof answer === 'number' ? -answer : 0, 4)
  head.writeBigUInt64LE(unique, 8)
  return Buffer.concat([head, body])
}

/** The answer to `INIT`: reads of one file come one after the other. @returns undefined for a kernel that is too old, or says too little */
export function encodeInit(body: Buffer): Buffer | undefined {
  if (body.length < 8 || body.readUInt32LE(0) !== MAJOR || body.readUInt32LE(4) < MINOR) return undefined
  const out = Buffer.alloc(64)
  out.writeUInt32LE(MAJOR, 0)
  out.writeUInt32LE(MINOR, 4)
  out.writeUInt32LE(MOST_AT_ONCE, 8)
  out.writeUInt32LE(BIG_WRITES, 12)
  out.writeUInt16LE(16, 16)
  out.writeUInt16LE(12, 18)
  out.writeUInt32LE(MOST_AT_ONCE, 20)
  out.writeUInt32LE(1, 24)
  return out
}

/** The answer to `GETATTR`. @param validity - seconds for which the kernel may keep it */
export function encodeAttributes(of: Attributes, validity: number): Buffer {
  const out = Buffer.alloc(16 + 88)
  out.writeBigUInt64LE(BigInt(validity), 0)
  writeAttributes(out, 16, of)
  return out
}

/** The answer to `LOOKUP`. @param validity - seconds for which the kernel may keep it */
export function encodeEntry(of: Attributes, validity: number): Buffer {
  const out = Buffer.alloc(40 + 88)
  out.writeBigUInt64LE(of.id, 0)
  out.writeBigUInt64LE(BigInt(validity), 16)
  out.writeBigUInt64LE(BigInt(validity), 24)
  writeAttributes(out, 40, of)
  return out
}

function writeAttributes(out: Buffer, at: number, { id, type, size, isWritable = false }: Attributes): void {
  out.writeBigUInt64LE(id, at)
  out.writeBigUInt64LE(size, at + 8)
  out.writeBigUInt64LE((size + 511n) / 512n, at + 16)
  out.writeUInt32LE(MODES[type] | (isWritable ? WRITABLE : 0), at + 60)
  out.writeUInt32LE(1, at + 64)
  out.writeUInt32LE(4096, at + 80)
}

/** The answer to `OPEN` and `OPENDIR`. */
export function encodeOpen(handle: bigint): Buffer {
  const out = Buffer.alloc(16)
  out.writeBigUInt64LE(handle, 0)
  return out
}

/** The answer to `STATFS`: a file system without room, whose names have up to 255 bytes. */
export function encodeStatfs(): Buffer {
  const out = Buffer.alloc(80)
  out.writeUInt32LE(4096, 40)
  out.writeUInt32LE(255, 44)
  out.writeUInt32LE(4096, 48)
  return out
}

/** An entry of a directory. @param next - the place that is asked for to go on after it */
export function encodeDirent(name: Uint8Array, type: Attributes['type'] | 'unknown', next: number): Buffer {
  const out = Buffer.alloc((ENTRY_HEAD + name.length + 7) & ~7)
  // the numbers of nodes are made when they are looked up; 0 would hide the entry
  out.writeBigUInt64LE(0xffffffffn, 0)
  out.writeBigUInt64LE(BigInt(next), 8)
  out.writeUInt32LE(name.length, 16)
  out.writeUInt32LE(type === 'unknown' ? 0 : MODES[type] >> 12, 20)
  out.set(name, ENTRY_HEAD)
  return out
}

/** The body of `READ` and `READDIR`: of which handle, from where, and how many bytes at most. */
export function decodeRead(body: Buffer): { readonly handle: bigint; readonly offset: bigint; readonly size: number } {
  return { handle: body.readBigUInt64LE(0), offset: body.readBigUInt64LE(8), size: body.readUInt32LE(16) }
}

/** The body of `WRITE`: of which handle, to where, and the bytes, which are the request's own. */
export function decodeWrite(body: Buffer): { readonly handle: bigint; readonly offset: bigint; readonly bytes: Buffer } {
  const size = body.readUInt32LE(16)
  return { handle: body.readBigUInt64LE(0), offset: body.readBigUInt64LE(8), bytes: body.subarray(40, 40 + size) }
}

/** The answer to `WRITE`. */
export function encodeWritten(size: number): Buffer {
  const out = Buffer.alloc(8)
  out.writeUInt32LE(size, 0)
  return out
}

/** The size that `SETATTR` sets. @returns undefined where it sets none */
export function decodeNewSize(body: Buffer): bigint | undefined {
  return (body.readUInt32LE(0) & SETS_SIZE) === 0 ? undefined : body.readBigUInt64LE(16)
}

/** The body of `RENAME` and `RENAME2`: into which directory, how, and the two names. */
export function decodeRename({ op, body }: Request): {
  readonly folder: bigint
  readonly flags: number
  readonly from: string | undefined
  readonly to: string | undefined
} {
  const names = body.subarray(op === Op.RENAME2 ? 16 : 8)
  return {
    folder: body.readBigUInt64LE(0),
    flags: op === Op.RENAME2 ? body.readUInt32LE(8) : 0,
    from: decodeName(names),
    to: decodeName(names.subarray(names.indexOf(0) + 1))
  }
}

/** A name as `LOOKUP` sends it: bytes up to a zero. @returns undefined where they are no UTF-8, as no name of a directory is then */
export function decodeName(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.subarray(0, body.indexOf(0)))
  } catch {
    return undefined
  }
}

/** Which request `INTERRUPT` means; undefined where it names none. */
export function decodeInterrupt(body: Buffer): bigint | undefined {
  return body.length < 8 ? undefined : body.readBigUInt64LE(0)
}

/** The content of `FORGET` and `BATCH_FORGET`: nodes, and how many times each was looked up. */
export function decodeForgets({ op, node, body }: Request): ReadonlyArray<readonly [node: bigint, times: bigint]> {
  // nobody waits for an answer to be told that it is cut short
  if (body.length < 8) return []
  if (op === Op.FORGET) return [[node, body.readBigUInt64LE(0)]]
  const count = Math.min(body.readUInt32LE(0), (body.length - 8) / 16)
  return Array.from({ length: count }, (_, i) => [body.readBigUInt64LE(8 + i * 16), body.readBigUInt64LE(16 + i * 16)] as const)
}
