import { type Log, type PathResolver, type Services, type Startable, type Token, token, type UnixFs } from '../../core/index.ts'
import { mountErrors } from './errors.ts'
import { ContentFiles } from './fuse/content.ts'
import { type Mounted, mount } from './fuse/mounting.ts'
import type { MountSettings } from './settings.ts'

/** What of the node is mounted on folders of this machine. */
export interface Mounts {
  /** Mounts `/ipfs` and `/ipns` on folders, to be read; what was mounted before is unmounted first. Where one fails, none is mounted. */
  mount(folders: { readonly ipfs: string; readonly ipns: string }): Promise<void>
}
export const Mounts: Token<Mounts> = token<Mounts>('mounts')

interface Parts {
  readonly paths: PathResolver
  readonly unixfs: UnixFs
  readonly settings: MountSettings
  readonly log: Services<{ log: typeof Log }>['log']
}

/** The mounts of a node; they end with it. */
export class MountService implements Mounts, Startable {
  readonly #parts: Parts
  #mounted: Mounted[] = []
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async mount({ ipfs, ipns }: { readonly ipfs: string; readonly ipns: string }): Promise<void> {
    if (ipfs === ipns) throw mountErrors.E_MOUNT_SAME(ipfs)
    const done = this.#turn.then(() => this.#remount(ipfs, ipns))
    this.#turn = done.catch(() => {})
    await done
  }

  async stop(): Promise<void> {
    await this.#turn
    await this.#unmount()
  }

  async #remount(ipfs: string, ipns: string): Promise<void> {
    await this.#unmount()
    try {
      this.#mounted.push(await this.#one('ipfs', ipfs))
      this.#mounted.push(await this.#one('ipns', ipns))
    } catch (error) {
      await this.#unmount()
      throw error
    }
  }

  #one(namespace: 'ipfs' | 'ipns', folder: string): Promise<Mounted> {
    const { settings, log, paths, unixfs } = this.#parts
    const files = new ContentFiles({ namespace, paths, unixfs, ...settings })
    return mount(folder, files, settings.maxRequests, error => log.error(`the mount of /${namespace} on ${folder} ended: ${error}`))
  }

  async #unmount(): Promise<void> {
    for (let last = this.#mounted.pop(); last !== undefined; last = this.#mounted.pop()) await last.unmount()
  }
}
