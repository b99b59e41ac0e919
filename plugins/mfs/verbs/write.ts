import type { CID } from 'multiformats/cid'
import { hasCode, type MfsWriteOptions } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { FileNode } from '../file/node.ts'
import { emptyFile, FileWriter } from '../file/writer.ts'
import { namingOfCid } from '../naming.ts'
import { namesOf, splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import type { Leaf } from '../tree/tree.ts'
import { parentsOf } from './mkdir.ts'
import { lookup, parentAt } from './parent.ts'

/**
 * Writes into a file. The checks stand in the reference's order (Kubo 0.28, core/commands/files.go), but nothing is made before all of them:
 * a write that fails leaves no file and no directory behind.
 */
export async function write(
  context: Context,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  options: MfsWriteOptions = {}
): Promise<void> {
  if ((options.offset ?? 0n) < 0n) throw mfsErrors.E_MFS_WRITE_OFFSET()
  await context.writers.run(namesOf(path).join('/'), () => writeAlone(context, path, bytes, options))
  await context.keep(options.flush)
}

async function writeAlone(context: Context, path: string, bytes: AsyncIterable<Uint8Array>, options: MfsWriteOptions): Promise<void> {
  const { tree } = context
  const { signal, offline, parents, naming } = options
  const how = { signal, offline }
  const above = parents ? await tree.run(() => parentsOf(context, path, naming), how) : undefined
  const found = await fileAt(context, path, options)
  if (found !== undefined) {
    await context.announced(found.cid, async () => {
      const loaded = await context.nodes.load(found.cid, how)
      const root = options.truncate && saysNoSizes(loaded) ? undefined : FileNode.from(loaded)
      const file = root ?? emptyFile(namingOfCid(found.cid))
      await edit(context, path, file, bytes, { ...options, isNew: root === undefined, before: found.cid })
    })
    return
  }
  // The directories above a path with a slash behind it are all of it.
  if (above !== undefined && path.endsWith('/')) throw mfsErrors.E_MFS_NOT_A_FILE(path)
  const parentNaming = above?.at.naming ?? (await tree.run(() => parentAt(tree, splitPath(path).folder).naming, how))
  await edit(context, path, emptyFile(naming ?? parentNaming), bytes, { ...options, isNew: true })
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
  const { offset = 0n, count, create, truncate, parents, naming, isNew = false, before, signal, offline } = options
  const key = namesOf(path).join('/')
  const how = { signal, offline }
  const rawLeaves = options.rawLeaves ?? leaves.get(key)
  const writer = new FileWriter(root, { isNew, nodes, blocks: parts.blocks, options: how, rawLeaves, maxGap: parts.settings.maxGap })
  if (truncate) await writer.truncate()
  if (count !== undefined && count < 0n) throw mfsErrors.E_MFS_WRITE_COUNT()
  await writer.write(bytes, offset, count)
  const written = await writer.finish()
  if (options.rawLeaves !== undefined) leaves.set(key, options.rawLeaves)
  if (written === undefined) {
    if (parents) await tree.run(() => parentsOf(context, path, naming).make(), how)
    return
  }
  const { cid, size, fileSize } = written
  await context.announced(cid, async () => {
    tree.learn(cid, { type: 'file', size: BigInt(fileSize) })
    await tree.run(() => {
      const above = parents ? parentsOf(context, path, naming) : undefined
      const parent = above?.at ?? parentAt(tree, folderOf(path))
      const name = namesOf(path).at(-1)!
      const there = (above?.isThere ?? true) ? tree.child(parent, name) : undefined
      // It may have gone, or become a directory, while the bytes came.
      if (there instanceof Directory) throw mfsErrors.E_MFS_NOT_A_FILE(path)
      if (there === undefined && !create) throw mfsErrors.E_MFS_MISSING()
      // What was put there meanwhile would be lost.
      if (there !== undefined && !before?.equals(there.cid)) throw mfsErrors.E_MFS_FILE_CHANGED(path)
      context.put(above?.make() ?? parent, name, cid, size)
    }, how)
  })
}

/** The directory that holds a file, whose path may end in a slash where it is there. */
function folderOf(path: string): string {
  return `/${namesOf(path).slice(0, -1).join('/')}`
}
