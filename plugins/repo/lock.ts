import { randomBytes } from 'node:crypto'
import { rename, unlink, writeFile } from 'node:fs/promises'
import { type Claim, claim, claimsBeside, readChain, readClaim, removeClaim } from '../../core/repo/claims.ts'
import { kernelLockHolder } from '../../core/repo/kernel-lock.ts'
import { isRunning, isVisible, thisProcess } from '../../core/repo/owner.ts'
import { repoErrors } from './errors.ts'

/** A lock that is held. */
export interface Lock {
  /** Whether whoever held it before is known to be gone. One of another machine or container cannot be seen. */
  readonly isSure: boolean
  /** Whether it keeps others out: of a repo that can only be read it does not. */
  readonly isHeld: boolean
  /** Call once it is known otherwise that nobody else works under this lock. Until then another's claim stays where it was. */
  confirm(): Promise<void>
  release(): Promise<void>
}

/**
 * Takes the lock `file`, for as long as this process lives. Node has no file locks of the kernel, so the file names its owner, and one
 * whose owner is gone may be taken over.
 *
 * Taking over must not race: between reading a dead owner's file and replacing it, somebody else may have done the same. So claims form
 * a chain. The first is `file`; the one that follows claim X is `file.<nonce of X>`, which exactly one process can make. Whoever is at the
 * end of the chain holds the lock; it then puts itself in the first place and clears what lay between.
 *
 * @throws E_REPO_LOCKED
 */
export async function acquireLock(file: string): Promise<Lock> {
  const nonce = randomBytes(8).toString('hex')
  const draft = `${file}.${nonce}.new`
  let lock: HeldLock | undefined
  try {
    await writeFile(draft, `${JSON.stringify({ ...(await thisProcess()), nonce })}\n`, { flag: 'wx', mode: 0o600 })
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
      if (!(await claim(draft, next))) continue
      // the chain may have been cleared while this claim was made, which then hangs in the air
      const mine = await readChain(file)
      if (mine.at(-1)?.nonce === nonce) {
        const seen = await Promise.all(mine.map(({ owner: before }) => before === undefined || isVisible(before)))
        lock = new HeldLock({ file, draft, first: next, nonce })
        if (seen.every(isSeen => isSeen)) await lock.confirm()
        return lock
      }
      await removeClaim(next)
    }
  } finally {
    // one that is not sure of itself will need it
    if (lock === undefined) await unlink(draft).catch(() => {})
  }
}

/** The lock of one who can write nothing, and so keeps nobody out. @throws E_REPO_LOCKED where somebody works on the repo who can be seen */
export async function lockToRead(file: string): Promise<Lock> {
  const owner = await livingOwner((await readChain(file)).at(-1))
  if (owner !== undefined) throw repoErrors.E_REPO_LOCKED(file, owner)
  return { isSure: false, isHeld: false, confirm: async () => {}, release: async () => {} }
}

interface HeldClaim {
  readonly file: string
  readonly draft: string
  /** Where it lies until it is sure. */
  readonly first: string
  readonly nonce: string
}

class HeldLock implements Lock {
  readonly isHeld = true
  readonly #claim: HeldClaim
  #isSure = false

  constructor(claim: HeldClaim) {
    this.#claim = claim
  }

  get isSure(): boolean {
    return this.#isSure
  }

  async confirm(): Promise<void> {
    if (this.#isSure) return
    this.#isSure = true
    await this.#putFirst()
    for (const left of await claimsBeside(this.#claim.file)) {
      // one that says nothing is being written
      if (left.owner === undefined || left.nonce === this.#claim.nonce) continue
      if ((await livingOwner(left)) === undefined) await removeClaim(left.path)
    }
    await unlink(this.#claim.draft).catch(() => {})
  }

  /** First the head is replaced, then the rest removed: a claim that another one makes in between is not reached from the new head. */
  async #putFirst(): Promise<void> {
    if (this.#claim.first === this.#claim.file) return
    const chain = await readChain(this.#claim.file)
    try {
      await rename(this.#claim.draft, this.#claim.file)
    } catch {
      // A folder cannot be replaced: the chain stays as it is until it is released.
      return
    }
    for (const { path } of chain.slice(1)) await removeClaim(path)
    await removeClaim(this.#claim.first)
  }

  async release(): Promise<void> {
    const chain = await readChain(this.#claim.file)
    if (!this.#isSure) await removeClaim(this.#claim.first)
    // The head first: what follows it is not reached any more, whoever comes in between.
    else if (chain.at(-1)?.nonce === this.#claim.nonce) {
      await this.#removeHead(chain[0]!)
      for (const { path } of chain.slice(1)) await removeClaim(path)
    }
    await unlink(this.#claim.draft).catch(() => {})
  }

  /** Takes the first claim away. A claim that another process has put in its place meanwhile, since it cannot see this one, is put back. */
  async #removeHead({ nonce }: Claim): Promise<void> {
    const aside = `${this.#claim.file}.${this.#claim.nonce}.gone`
    await rename(this.#claim.file, aside)
    if ((await readClaim(aside))?.nonce !== nonce) await claim(aside, this.#claim.file)
    await removeClaim(aside)
  }
}

async function livingOwner(one: Claim | undefined): Promise<number | undefined> {
  if (one === undefined) return undefined
  const { owner, path } = one
  if (owner === undefined) return kernelLockHolder(path)
  return (await isRunning(owner)) ? owner.pid : undefined
}
