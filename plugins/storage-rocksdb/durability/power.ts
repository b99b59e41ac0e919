import { readFile, stat } from 'node:fs/promises'

const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/**
 * Changes whenever what was written to the folder's disk and not synced may have been lost: with every start of the machine, and where Linux
 * counts them, with every time that the disk was attached.
 *
 * @param sys - where Linux tells of its devices
 * @returns undefined where the system does not tell, as anything but Linux
 */
export async function powerOf(folder: string, sys = '/sys'): Promise<Uint8Array | undefined> {
  const boot = await readFile(BOOT_ID).catch(() => undefined)
  if (boot === undefined) return undefined
  return Buffer.concat([boot, Buffer.from(await attachmentOf(folder, sys))])
}

/** The `diskseq` of the disk on which the folder lies; empty where there is none, as on a network. */
async function attachmentOf(folder: string, sys: string): Promise<string> {
  const { dev } = await stat(folder, { bigint: true })
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn)
  const device = `${sys}/dev/block/${major}:${minor}`
  // A partition has none of its own: its disk does, below which the link leads.
  const found = await readFile(`${device}/diskseq`, 'utf8').catch(() => readFile(`${device}/../diskseq`, 'utf8').catch(() => ''))
  return found.trim()
}
