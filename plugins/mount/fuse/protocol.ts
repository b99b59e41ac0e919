/** Requests of the kernel that are answered here, by their numbers (Linux, uapi/linux/fuse.h). */
export const Op = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  READLINK: 5,
  OPEN: 14,
  READ: 15,
  STATFS: 17,
  RELEASE: 18,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  INTERRUPT: 36,
  DESTROY: 38,
  BATCH_FORGET: 42
} as const

/** Bytes before the body of a request, and before that of an answer. */
const [REQUEST_HEAD, ANSWER_HEAD] = [40, 16]

/** The version that is spoken: the layout of every message below is that of 7.31. */
const [MAJOR, MINOR] = [7, 31]

/** Bytes of a directory's entry before its name. */
const ENTRY_HEAD = 24

/** Bits of a mode, and the types of a directory's entries that are these bits moved by 12. */
const MODES = { directory: 0o040555, file: 0o100444, symlink: 0o120444 } as const

/** What the kernel is told of a node. */
export interface Attributes {
  readonly id: bigint
  readonly type: keyof typeof MODES
  /** Bytes of a file or of a symlink's target; 0 of a directory. */
  readonly size: bigint
}

/** A request: which node it is about, and the body that follows its head. */
export interface Request {
  readonly op: number
  /** By this number it is answered, and interrupted. */
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

/** The answer to `INIT`: reads of one file come one after the other, of up to 128 KiB. @returns undefined for a kernel that is too old */
export function encodeInit(body: Buffer): Buffer | undefined {
  if (body.readUInt32LE(0) !== MAJOR || body.readUInt32LE(4) < MINOR) return undefined
  const out = Buffer.alloc(64)
  out.writeUInt32LE(MAJOR, 0)
  out.writeUInt32LE(MINOR, 4)
  out.writeUInt32LE(128 << 10, 8)
  out.writeUInt16LE(16, 16)
  out.writeUInt16LE(12, 18)
  out.writeUInt32LE(4096, 20)
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

function writeAttributes(out: Buffer, at: number, { id, type, size }: Attributes): void {
  out.writeBigUInt64LE(id, at)
  out.writeBigUInt64LE(size, at + 8)
  out.writeBigUInt64LE((size + 511n) / 512n, at + 16)
  out.writeUInt32LE(MODES[type], at + 60)
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

/** A name as `LOOKUP` sends it: bytes up to a zero. @returns undefined where they are no UTF-8, as no name of a directory is then */
export function decodeName(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.subarray(0, body.indexOf(0)))
  } catch {
    return undefined
  }
}

/** What `FORGET` and `BATCH_FORGET` say: nodes, and how many times each was looked up. */
export function decodeForgets({ op, node, body }: Request): ReadonlyArray<readonly [node: bigint, times: bigint]> {
  if (op === Op.FORGET) return [[node, body.readBigUInt64LE(0)]]
  const count = Math.min(body.readUInt32LE(0), (body.length - 8) / 16)
  return Array.from({ length: count }, (_, i) => [body.readBigUInt64LE(8 + i * 16), body.readBigUInt64LE(16 + i * 16)] as const)
}
