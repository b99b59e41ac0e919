import { readFile, stat } from 'node:fs/promises'

/**
 * The process that holds a lock of the kernel's on a file, as Kubo does on a repo's: undefined when nobody does, or when this system
 * does not tell (only Linux does).
 */
export async function kernelLockHolder(path: string): Promise<number | undefined> {
  const [table, found] = await Promise.all([
    readFile('/proc/locks', 'utf8').catch(() => undefined),
    stat(path, { bigint: true }).catch(() => undefined)
  ])
  return table === undefined || found === undefined ? undefined : holderIn(table, found.dev, found.ino)
}

/** Looks a file up in the text of /proc/locks, whose lines read `1: POSIX  ADVISORY  WRITE 4711 08:01:131 0 EOF`. */
export function holderIn(table: string, dev: bigint, ino: bigint): number | undefined {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn)
  const hex = (part: bigint) => part.toString(16).padStart(2, '0')
  const file = `${hex(major)}:${hex(minor)}:${ino}`
  for (const line of table.split('\n')) {
    const [, , , , pid, where] = line.trim().split(/\s+/)
    if (where === file && Number(pid) > 0) return Number(pid)
  }
  return undefined
}
