import { type Channel, channel } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { takenMemory } from '../../core/memory.ts'

// The callback functions rather than fs/promises: a FileHandle costs a third of the speed of small files.
export const open = promisify(fs.open)
export const close = promisify(fs.close)
export const read = promisify(fs.read)
export const fdatasync = promisify(fs.fdatasync)
const write = promisify(fs.write)
const stat = promisify(fs.stat)
const fsync = promisify(fs.fsync)
export const rename = promisify(fs.rename)
export const unlink = promisify(fs.unlink)

/** Writes a new file, in place of an old one of that name. What was written of it is removed when that fails. */
export async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  const fd = await open(path, 'w', 0o600)
  try {
    for (let at = 0; at < bytes.byteLength; ) at += (await write(fd, bytes, at, bytes.byteLength - at, at)).bytesWritten
  } catch (error) {
    await unlink(path).catch(() => {})
    return namingFile(path)(error)
  } finally {
    // The close of a new file does not wait for the disk, so it is not worth a way to another thread.
    fs.closeSync(fd)
  }
}

/**
 * A file that should have `size` bytes: open, read, close, and no stat.
 *
 * @returns what is in it, were it more or less
 */
export async function readFile(path: string, size: number): Promise<Uint8Array> {
  const fd = await open(path, 'r')
  try {
    // One byte more than expected, so that one call shows whether the file ends there.
    let bytes = unzeroed(size + 1)
    let at = 0
    for (;;) {
      const { bytesRead } = await read(fd, bytes, at, bytes.byteLength - at, at)
      at += bytesRead
      if (bytesRead === 0 || at === size) return bytes.subarray(0, at)
      if (at === bytes.byteLength) bytes = grown(bytes)
    }
  } catch (error) {
    return namingFile(path)(error)
  } finally {
    fs.closeSync(fd)
  }
}

/** @returns undefined when there is no such file */
export async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Memory of its own, whose bytes are whatever was there.
 *
 * @param transient - whether it goes back to the system once nobody has it, where the C library would keep it; its pages are made anew for that
 */
export function unzeroed(size: number, transient = false): Uint8Array {
  if (takenMemory.hasSubscribers) takenMemory.publish(size)
  // V8 maps the memory itself of what may change its size
  if (transient) return new Uint8Array(new ArrayBuffer(size, { maxByteLength: size }), 0, size)
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer, 0, size)
}

function grown(bytes: Uint8Array): Uint8Array {
  const larger = unzeroed(bytes.byteLength * 2)
  larger.set(bytes)
  return larger
}

/** Told of each file and folder that has reached the disk, by its path: a sync of many takes as long as the disk does. */
export const reachedDisk: Channel = channel('holdfast.storage.reached-disk')

/** The file's bytes survive power loss once this resolves. @returns false when there is no such file */
export function syncData(path: string): Promise<boolean> {
  return withFile(path, 'r+', fdatasync)
}

/** A folder for this user alone, with a name that survives power loss where it was not there. */
export async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await syncFolder(dirname(made))
}

/** The names in the folder survive power loss once this resolves. */
export async function syncFolder(path: string): Promise<void> {
  // Windows has no such call; its journal keeps names in order.
  if (process.platform !== 'win32') await withFile(path, 'r', fsync)
}

async function withFile(path: string, flags: string, use: (fd: number) => Promise<void>): Promise<boolean> {
  let fd: number
  try {
    fd = await open(path, flags)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  try {
    await use(fd).catch(namingFile(path))
    if (reachedDisk.hasSubscribers) reachedDisk.publish(path)
    return true
  } finally {
    await close(fd)
  }
}

/** Throws an error again once it names the file: the system's errors of an open one do not. */
export function namingFile(path: string): (error: unknown) => never {
  return error => {
    if (error instanceof Error && !error.message.includes(path)) error.message += ` '${path}'`
    throw error
  }
}

/** Whether a sync that failed so may have lost what was written: one whose file could not be opened lost nothing. */
export function mayHaveLost(error: unknown): boolean {
  return (error as { syscall?: unknown } | undefined)?.syscall !== 'open'
}

/** Whether the system says that there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ENOENT'
}
