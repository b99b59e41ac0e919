import type { CID } from 'multiformats/cid'
import { hasCode, type MfsWriteOptions } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { FileNode } from '../file/node.ts'
import { emptyFile, FileWriter } from '../file/writer.ts'
import { namingOfCid } from '../naming.ts'
import { folderName, namesOf, splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import type { Leaf } from '../tree/tree.ts'
import { makeParents } from './mkdir.ts'
import { lookup, parentAt } from './parent.ts'

/** Writes into a file. The checks stand in the reference's order. (Kubo 0.28, core/commands/files.go) */
export async function write(
  context: Context,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  options: MfsWriteOptions = {}
): Promise<void> {
  if ((options.offset ?? 0n) < 0n) throw mfsErrors.E_MFS_WRITE_OFFSET()
  if (options.parents) await makeParents(context, folderName(path), options)
  try {
    await context.writers.run(namesOf(path).join('/'), () => writeAlone(context, path, bytes, options))
  } catch (error) {
    // What was made before it failed is kept all the same.
    await context.keep(options.flush).catch(() => {})
    throw error
  }
  await context.keep(options.flush)
}

async function writeAlone(context: Context, path: string, bytes: AsyncIterable<Uint8Array>, options: MfsWriteOptions): Promise<void> {
  const { signal, offline } = options
  const found = await fileAt(context, path, options)
  if (found !== undefined) {
    await context.announced(found.cid, async () => {
      const loaded = await context.nodes.load(found.cid, { signal, offline })
      const root = options.truncate && saysNoSizes(loaded) ? undefined : FileNode.from(loaded)
      const file = root ?? emptyFile(namingOfCid(found.cid))
      await edit(context, path, file, bytes, { ...options, isNew: root === undefined, before: found.cid })
    })
    return
  }
  const naming =
    options.naming ?? (await context.tree.run(() => parentAt(context.tree, splitPath(path).folder).naming, { signal, offline }))
  try {
    await edit(context, path, emptyFile(naming), bytes, { ...options, isNew: true })
  } catch (error) {
    // The reference has made the file by then, and it stays; who has left gets nothing.
    const none = { signal, offline, create: true, isNew: true }
    if (!signal?.aborted) await edit(context, path, emptyFile(naming), nothing(), none).catch(() => {})
    throw error
  }
}

/** Whether a file does not say how large each of its parts is, so that it can only be written anew. */
function saysNoSizes({ kind, node }: LoadedBlock): boolean {
  return kind === 'dag-pb' && decodeUnixFs(node.data).children !== node.length
}

/** The file at a path; undefined where there is none and it may be made. @throws E_MFS_NOT_A_FILE, E_MFS_MISSING */
async function fileAt({ tree }: Context, path: string, { create, signal, offline }: MfsWriteOptions): Promise<Leaf | undefined> {
  try {
    const at = await tree.run(() => lookup(tree, path), { signal, offline })
    if (at instanceof Directory) throw mfsErrors.E_MFS_NOT_A_FILE(path)
    return at
  } catch (error) {
    if (create && hasCode(error, 'E_MFS_MISSING')) return undefined
    throw error
  }
}

interface EditOptions extends MfsWriteOptions {
  isNew?: boolean
  /** The file that is written into. */
  before?: CID
}

async function edit(context: Context, path: string, root: FileNode, bytes: AsyncIterable<Uint8Array>, options: EditOptions): Promise<void> {
  const { tree, nodes, parts, leaves } = context
  const { offset = 0n, count, create, truncate, isNew = false, before, signal, offline } = options
  const key = namesOf(path).join('/')
  if (options.rawLeaves !== undefined) leaves.set(key, options.rawLeaves)
  const how = { signal, offline }
  const rawLeaves = options.rawLeaves ?? leaves.get(key)
  const writer = new FileWriter(root, { isNew, nodes, blocks: parts.blocks, options: how, rawLeaves, maxGap: parts.settings.maxGap })
  if (truncate) await writer.truncate()
  if (count !== undefined && count < 0n) throw mfsErrors.E_MFS_WRITE_COUNT()
  await writer.write(bytes, offset, count)
  const written = await writer.finish()
  if (written === undefined) return
  const { cid, size, fileSize } = written
  await context.announced(cid, async () => {
    tree.learn(cid, { type: 'file', size: BigInt(fileSize) })
    await tree.run(() => {
      const parent = parentAt(tree, folderOf(path))
      const name = namesOf(path).at(-1)!
      const there = tree.child(parent, name)
      // It may have gone, or become a directory, while the bytes came.
      if (there instanceof Directory) throw mfsErrors.E_MFS_NOT_A_FILE(path)
      if (there === undefined && !create) throw mfsErrors.E_MFS_MISSING()
      // What was put there meanwhile would be lost.
      if (there !== undefined && !before?.equals(there.cid)) throw mfsErrors.E_MFS_FILE_CHANGED(path)
      context.put(parent, name, cid, size)
    }, how)
  })
}

/** The directory that holds a file, whose path may end in a slash where it is there. */
function folderOf(path: string): string {
  return `/${namesOf(path).slice(0, -1).join('/')}`
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
