import {
  type Datastore,
  type Keys,
  type Lease,
  type Log,
  type Mfs,
  type MfsTrees,
  messageOf,
  type Names,
  type PathResolver,
  SELF,
  type Services,
  type Startable,
  type Token,
  token,
  type UnixFs
} from '../../core/index.ts'
import { formatName, parseName } from '../../core/ipns/index.ts'
import { mountErrors } from './errors.ts'
import { ContentFiles } from './fuse/content.ts'
import { type Mounted, mount } from './fuse/mounting.ts'
import { type KeyFolder, NamesFiles } from './fuse/names.ts'
import type { FileSystem } from './fuse/session.ts'
import { Waiting } from './fuse/tree/file.ts'
import { TreeFiles } from './fuse/tree/tree.ts'
import { PublishedTree } from './published-tree.ts'
import type { MountSettings } from './settings.ts'

/** Folders of the machine that a node's content is mounted on. */
interface MountFolders {
  readonly ipfs: string
  readonly ipns: string
  /** Where the mutable tree is mounted; undefined: it is not. */
  readonly mfs?: string | undefined
  /** Whether other users of the machine reach them. */
  readonly allowOther: boolean
}

/** The trees of the node that are mounted on folders of this machine. */
export interface Mounts {
  /** Mounts `/ipfs` and `/ipns`, to be read but for names of this node, and the mutable tree; what was mounted before is unmounted first. Where one fails, none is mounted. */
  mount(folders: MountFolders): Promise<void>
}
export const Mounts: Token<Mounts> = token<Mounts>('mounts')

interface Parts {
  readonly paths: PathResolver
  readonly unixfs: UnixFs
  readonly mfs: Mfs | undefined
  readonly trees: MfsTrees | undefined
  readonly keys: Keys | undefined
  readonly names: Names | undefined
  readonly datastore: Datastore
  readonly settings: MountSettings
  readonly log: Services<{ log: typeof Log }>['log']
}

/** Milliseconds for which routes to other nodes are waited for when names are unmounted. */
const LAST_PUBLISH = 3000

/** The mounts of a node; they end with it. */
export class MountService implements Mounts, Startable {
  readonly #parts: Parts
  #mounted: Mounted[] = []
  #published: PublishedTree[] = []
  #reserved: Lease | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async mount(folders: MountFolders): Promise<void> {
    const { ipfs, ipns, mfs } = folders
    const all = [ipfs, ipns, ...(mfs === undefined ? [] : [mfs])]
    const twice = all.find((folder, i) => all.indexOf(folder) !== i)
    if (twice !== undefined) throw mountErrors.E_MOUNT_SAME(twice)
    if (mfs !== undefined && this.#parts.mfs === undefined) throw mountErrors.E_MOUNT_NO_TREE(mfs)
    const done = this.#turn.then(() => this.#remount(folders))
    this.#turn = done.catch(() => {})
    await done
  }

  async stop(): Promise<void> {
    await this.#turn
    await this.#unmount()
  }

  async #remount({ ipfs, ipns, mfs, allowOther }: MountFolders): Promise<void> {
    await this.#unmount()
    const { paths, unixfs, settings } = this.#parts
    const content = (namespace: 'ipfs' | 'ipns') => new ContentFiles({ namespace, paths, unixfs, ...settings })
    try {
      await this.#one('/ipfs', ipfs, content('ipfs'), { allowOther })
      await this.#one('/ipns', ipns, await this.#names(content('ipns')), { allowOther, isWritable: true })
      if (mfs !== undefined) {
        const files = new TreeFiles({ tree: this.#parts.mfs!, waiting: new Waiting(settings.maxWaiting), ...settings })
        await this.#one('the mutable tree', mfs, files, { allowOther, isWritable: true })
      }
    } catch (error) {
      await this.#unmount()
      throw error
    }
  }

  /** `/ipns` with the names of this node, where this node has what that takes. */
  async #names(others: FileSystem): Promise<FileSystem> {
    const { trees, keys, names, settings } = this.#parts
    if (trees === undefined || keys === undefined || names === undefined) return others
    this.#reserved = names.reserve('cannot manually publish while IPNS is mounted')
    const named = await keys.list()
    const folders = named.map(({ name, peerId }) => ({
      name: formatName(parseName(peerId)),
      label: name === SELF ? 'local' : name,
      key: name
    }))
    const waiting = new Waiting(settings.maxWaiting)
    const files = async ({ name }: KeyFolder, first: bigint) => {
      const tree = trees.open(name)
      const it = new PublishedTree({ ...this.#parts, names }, name, folders.find(folder => folder.name === name)!.key, tree)
      await it.open()
      this.#published.push(it)
      return new TreeFiles({ tree, waiting, first, changed: () => it.changed(), ...settings })
    }
    return new NamesFiles({ others, folders, files, maxHandles: settings.maxHandles })
  }

  async #one(what: string, folder: string, files: FileSystem, how: { readonly allowOther: boolean; readonly isWritable?: boolean }) {
    const { settings, log } = this.#parts
    const failed = (how: string, error: unknown) =>
      log.error({ err: error }, `the mount of ${what} on ${folder}: ${how}: ${messageOf(error)}`)
    this.#mounted.push(await mount(folder, files, { ...how, maxRequests: settings.maxRequests }, failed))
  }

  async #unmount(): Promise<void> {
    for (let last = this.#mounted.pop(); last !== undefined; last = this.#mounted.pop()) await last.unmount()
    await Promise.all(this.#published.splice(0).map(name => name.close(LAST_PUBLISH)))
    this.#reserved?.release()
    this.#reserved = undefined
  }
}
