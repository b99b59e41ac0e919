import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import { decodeMultihash } from '../../../core/cid/index.ts'
import { hasCode, messageOf } from '../../../core/index.ts'
import { migrateErrors } from '../errors.ts'

const EXTENSION = '.data'
const FUNCTION = /^\/repo\/flatfs\/shard\/v1\/(prefix|suffix|next-to-last)\/([1-9]\d?)$/

/** The function by which Kubo 0.28 shards its blocks. */
export const USUAL_SHARDING = '/repo/flatfs/shard/v1/next-to-last/2'

/** A block's file, and the block that it should be. */
export interface BlockFile {
  readonly path: string
  readonly multihash: Uint8Array
}

/** The folder of a key by a sharding function (go-ds-flatfs 0.5, shard.go). @returns undefined for no such function */
export function shardOf(text: string): ((key: string) => string) | undefined {
  const [, kind, digits] = FUNCTION.exec(text.trim()) ?? []
  const size = Number(digits)
  switch (kind) {
    case 'prefix':
      return key => `${key}${'_'.repeat(size)}`.slice(0, size)
    case 'suffix':
      return key => `${'_'.repeat(size)}${key}`.slice(-size)
    case 'next-to-last':
      return key => `${'_'.repeat(size + 1)}${key}`.slice(-size - 1, -1)
    default:
      return undefined
  }
}

/** The name of a block's file, without its folder. */
export function fileNameOf(multihash: Uint8Array): string {
  return base32upper.encoder.baseEncode(multihash) + EXTENSION
}

/** Blocks as Kubo keeps them: a file each, in folders by a function of its name. Nothing is written. */
export class Flatfs {
  readonly root: string
  readonly #shard: (key: string) => string

  private constructor(root: string, shard: (key: string) => string) {
    this.root = root
    this.#shard = shard
  }

  /** @throws E_KUBO_FILE */
  static async open(root: string, sharding: string): Promise<Flatfs> {
    const file = join(root, 'SHARDING')
    const text = await readFile(file, 'utf8').catch(error => {
      throw migrateErrors.E_KUBO_FILE(file, hasCode(error, 'ENOENT') ? 'it is missing' : messageOf(error))
    })
    const shard = shardOf(text)
    if (shard === undefined) throw migrateErrors.E_KUBO_FILE(file, `there is no way to shard called '${text.trim()}'`)
    if (text.trim() !== sharding) throw migrateErrors.E_KUBO_FILE(file, `it says '${text.trim()}', and datastore_spec '${sharding}'`)
    return new Flatfs(root, shard)
  }

  /** All files of blocks. What Kubo itself would not find, such as what a broken write left, is not listed. */
  async *files(signal?: AbortSignal): AsyncGenerator<BlockFile> {
    for (const shard of await readdir(this.root, { withFileTypes: true })) {
      if (!shard.isDirectory()) continue
      for (const name of await readdir(join(this.root, shard.name))) {
        signal?.throwIfAborted()
        const key = name.slice(0, -EXTENSION.length)
        const multihash = name.endsWith(EXTENSION) && this.#shard(key) === shard.name ? multihashOf(key) : undefined
        if (multihash !== undefined) yield { path: join(this.root, shard.name, name), multihash }
      }
    }
  }
}

function multihashOf(key: string): Uint8Array | undefined {
  try {
    return decodeMultihash(base32upper.decoder.baseDecode(key)).bytes
  } catch {
    return undefined
  }
}
