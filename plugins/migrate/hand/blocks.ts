import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cidToString, decodeMultihash, RAW } from '../../../core/cid/index.ts'
import { type Blockstore, CID, type FastBlocks, fastBlocks, messageOf } from '../../../core/index.ts'
import { syncFolder, writeUnlisted, writeWhole } from '../../../core/repo/index.ts'
import { fileNameOf, shardOf, USUAL_SHARDING } from '../kubo/flatfs.ts'
import type { Report } from '../report.ts'
import { faultOf } from '../verify.ts'

/** Blocks that are written at a time. */
const AT_ONCE = 16

const folderOf = shardOf(USUAL_SHARDING)!

/**
 * Writes the blocks of the store, each held against its hash, as Kubo keeps them. What lies there already is left, as a file has its name only
 * when it is whole and on the disk. Yields how many were looked at.
 */
export async function* writeBlocks(from: Blockstore, root: string, told: Report['Blocks'], signal: AbortSignal): AsyncGenerator<number> {
  const store = fastBlocks(from)
  const folders = new Set<string>([root])
  await mkdir(root, { recursive: true, mode: 0o700 })
  await writeWhole(join(root, 'SHARDING'), `${USUAL_SHARDING}\n`)
  let batch: Uint8Array[] = []
  let done = 0
  const write = async () => {
    await Promise.all(batch.map(multihash => writeOne(multihash, { store, root, folders, told, signal })))
    done += batch.length
    batch = []
    return done
  }
  for await (const multihash of store.listMultihashes({ signal })) if (batch.push(multihash) === AT_ONCE) yield await write()
  yield await write()
  for (const folder of folders) await syncFolder(folder)
}

interface Writing {
  readonly store: FastBlocks
  readonly root: string
  readonly folders: Set<string>
  readonly told: Report['Blocks']
  readonly signal: AbortSignal
}

async function writeOne(multihash: Uint8Array, { store, root, folders, told, signal }: Writing): Promise<void> {
  signal.throwIfAborted()
  const name = fileNameOf(multihash)
  const path = join(root, folderOf(name.slice(0, name.indexOf('.'))), name)
  const size = await store.sizeOf(multihash, { signal })
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && found.size === size) {
    told.There++
    return
  }
  const bytes = await store.getBytes(multihash, { signal, transient: true }).catch(messageOf)
  const fault = typeof bytes === 'string' ? bytes : bytes === undefined ? 'its bytes are gone' : await faultOf(multihash, bytes, signal)
  if (fault !== undefined || typeof bytes === 'string' || bytes === undefined) {
    told.Damaged.push(`${cidToString(CID.createV1(RAW, decodeMultihash(multihash)))}: ${fault}`)
    return
  }
  await writeFile(path, bytes, folders)
  told.Copied++
  told.Bytes += bytes.length
}

async function writeFile(path: string, bytes: Uint8Array, folders: Set<string>): Promise<void> {
  const folder = dirname(path)
  if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
  folders.add(folder)
  await writeUnlisted(path, bytes)
}
