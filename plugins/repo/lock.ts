import { randomBytes } from 'node:crypto'
import { constants, copyFile, link, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { repoErrors } from './errors.ts'
import { kernelLockHolder } from './kernel-lock.ts'
import { isRunning, type Owner, thisProcess } from './owner.ts'

/** A lock that is held. */
export interface Lock {
  release(): Promise<void>
}

/** What a lock file says. A file that says nothing is Kubo's, which has the kernel hold it. */
interface Claim {
  readonly path: string
  readonly nonce: string
  readonly owner: Owner | undefined
}

/**
 * Takes the lock `file`, for as long as this process lives. Node has no file locks of the kernel, so the file names its owner, and one
 * whose owner is gone may be taken over.
 *
 * Taking over must not race: between reading a dead owner's file and replacing it, somebody else may have done the same. So claims form
 * a chain. The first is `file`; the one that follows claim X is `file.<nonce of X>`, made by a hard link, which exactly one process can
 * make. Whoever is at the end of the chain holds the lock; it then puts itself in the first place and clears what lay between.
 *
 * @throws E_REPO_LOCKED
 */
export async function acquireLock(file: string): Promise<Lock> {
  const nonce = randomBytes(8).toString('hex')
  const own = `${file}.${nonce}.new`
  await writeFile(own, `${JSON.stringify({ ...(await thisProcess()), nonce })}\n`, { flag: 'wx', mode: 0o600 })
  try {
    for (;;) {
      const chain = await readChain(file)
      const last = chain.at(-1)
      const owner = await livingOwner(last)
      if (owner !== undefined) {
        // a chain that changed while it was read may have ended in a claim that hangs in the air
        if ((await readClaim(file))?.nonce !== chain[0]?.nonce) continue
        throw repoErrors.E_REPO_LOCKED(file, owner)
      }
      const next = last === undefined ? file : `${file}.${last.nonce}`
      if (!(await claim(own, next))) continue
      // the chain may have been cleared while this claim was made, which then hangs in the air
      const mine = await readChain(file)
      if (mine.at(-1)?.nonce === nonce) {
        await shorten(file, own, mine)
        return { release: () => release(file, nonce) }
      }
      await unlink(next)
    }
  } finally {
    await unlink(own).catch(() => {})
  }
}

async function livingOwner(claim: Claim | undefined): Promise<number | undefined> {
  if (claim === undefined) return undefined
  const { owner, path } = claim
  if (owner === undefined) return kernelLockHolder(path)
  return (await isRunning(owner)) ? owner.pid : undefined
}

async function readChain(file: string): Promise<Claim[]> {
  const chain: Claim[] = []
  for (let path = file; ; ) {
    const found = await readClaim(path)
    if (found === undefined) return chain
    chain.push(found)
    path = `${file}.${found.nonce}`
  }
}

async function readClaim(path: string): Promise<Claim | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    const said = parse(text)
    return { path, owner: said, nonce: said?.nonce ?? `i${(await stat(path)).ino}` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
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

/** @returns false when somebody else was faster */
async function claim(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      // file systems without hard links
      if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(error.code ?? '')) return copyFile(own, path, constants.COPYFILE_EXCL)
      throw error
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** First the head is replaced, then the rest removed: a claim that another one makes in between is not reached from the new head. */
async function shorten(file: string, own: string, chain: readonly Claim[]) {
  if (chain.length > 1) {
    await rename(own, file)
    await Promise.all(chain.slice(1).map(({ path }) => unlink(path)))
  }
  for (const name of await readdir(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`)) continue
    const left = await readClaim(join(dirname(file), name))
    if (left !== undefined && (await livingOwner(left)) === undefined) await unlink(left.path).catch(() => {})
  }
}

async function release(file: string, nonce: string) {
  const head = await readClaim(file)
  if (head?.nonce === nonce) await unlink(file)
}
