import { constants, copyFile, link, mkdir, readdir, readFile, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isGone, type Owner } from './owner.ts'

/** The content of a lock file. A file that says nothing is Kubo's, which has the kernel hold it. */
export interface Claim {
  readonly path: string
  readonly nonce: string
  readonly owner: Owner | undefined
}

/** The file in the folder that stands for a claim where a file cannot have two names. */
const INSIDE = 'claim'
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])
const TAKEN: ReadonlySet<string> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR'])

/**
 * Puts the claim that the file `file` holds at `path`, whole from its first moment, which of many exactly one can do. Where the file system has
 * no hard links, a folder takes the place of the file: a folder that is not empty cannot be replaced either.
 *
 * @returns false when somebody else was faster
 */
export async function claim(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    if (NO_LINKS.has(code)) return claimByFolder(file, path)
    throw error
  }
}

async function claimByFolder(file: string, path: string): Promise<boolean> {
  const folder = `${file}.folder`
  await mkdir(folder, { mode: 0o700 })
  try {
    await copyFile(file, join(folder, INSIDE), constants.COPYFILE_EXCL)
    await rename(folder, path)
    return true
  } catch (error) {
    await removeClaim(folder)
    if (TAKEN.has(codeOf(error))) return false
    throw error
  }
}

/** The claims from `file` on, each of which follows the one whose nonce its name ends with. */
export async function readChain(file: string): Promise<Claim[]> {
  const chain: Claim[] = []
  for (let path = file; ; ) {
    const found = await readClaim(path)
    if (found === undefined) return chain
    chain.push(found)
    path = `${file}.${found.nonce}`
  }
}

/** Whether the process that holds the lock `file` is known to be gone. Of one that did not let go of it, as it was killed, that is what is left. */
export async function isLeft(file: string): Promise<boolean> {
  const owner = (await readChain(file)).at(-1)?.owner
  return owner !== undefined && (await isGone(owner))
}

/** All claims beside `file`, in the chain or not. */
export async function claimsBeside(file: string): Promise<Claim[]> {
  const names = (await readdir(dirname(file))).filter(name => name.startsWith(`${basename(file)}.`))
  const claims = await Promise.all(names.map(name => readClaim(join(dirname(file), name))))
  return claims.filter(one => one !== undefined)
}

/** @returns undefined when there is none */
export async function readClaim(path: string): Promise<Claim | undefined> {
  try {
    const text = await readFile(path, 'utf8').catch(error => {
      if (codeOf(error) === 'EISDIR') return readFile(join(path, INSIDE), 'utf8')
      throw error
    })
    const said = parse(text)
    return { path, owner: said, nonce: said?.nonce ?? `i${(await stat(path)).ino}` }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Takes a claim away where there is one. */
export async function removeClaim(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    // Between the two somebody else may have put a claim there, with which the folder stays.
    await unlink(join(path, INSIDE)).catch(() => {})
    await rmdir(path).catch(() => {})
  }
}

function parse(text: string): (Owner & { nonce: string }) | undefined {
  try {
    const { pid, started, where, nonce } = JSON.parse(text) as Record<string, unknown>
    if (!Number.isInteger(pid) || typeof started !== 'string' || typeof where !== 'string') return undefined
    return typeof nonce === 'string' && /^[0-9a-f]+$/.test(nonce) ? { pid: pid as number, started, where, nonce } : undefined
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
