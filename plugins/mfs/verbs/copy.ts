import type { CID } from 'multiformats/cid'
import { type Size, sizeOf } from '../../../core/dag/node-links.ts'
import { type BlockOptions, type MfsMakeOptions, messageOf, prefixed } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import { cumulativeSize, type LoadedBlock } from '../../../core/unixfs/export/node.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { baseName, namesOf, splitPath } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { kindOf } from '../tree/kind.ts'
import type { Tree } from '../tree/tree.ts'
import { parentsOf } from './mkdir.ts'
import { directoryAt, lookup } from './parent.ts'

/** A node that is about to get another place. */
interface Target {
  readonly cid: CID
  readonly size: Size
}

/** Puts at `to` what lies at `from`. (Kubo 0.28, core/commands/files.go) */
export async function copy(context: Context, from: string, to: string, options: MfsMakeOptions = {}): Promise<void> {
  const { flush = true, parents, naming, force = false, onlyUnixFs = false, ...how } = options
  const source = withoutEnd(from)
  // The root has no name that it could keep.
  const dest = to.endsWith('/') && source !== '' ? to + baseName(source) : to
  const put = async (target: () => Target) => {
    if (parents) await context.tree.run(() => parentsOf(context, dest, naming), how)
    await putNode(context, dest, target, { ...how, force, parents, naming }).catch(error => {
      throw prefixed(`cp: cannot put node in path ${dest}: `, error)
    })
    return context.keep(flush)
  }
  const checkSource = async (cid: CID) => {
    const node = await context.nodes.load(cid, how)
    if (onlyUnixFs) checkUnixFs(node)
    if (flush) checkOpens(context, node, dest)
    if (force) await context.tree.run(() => checkReplaceable(context.tree, dest), how)
  }
  const failed = (error: unknown) => {
    throw prefixed(`cp: cannot get node from path ${source}: `, error)
  }
  const putAnnounced = (cid: CID) =>
    context.adopted(
      cid,
      async () => {
        const target = await loadTarget(context, cid, how).catch(failed)
        await checkSource(cid)
        await put(() => target)
      },
      how
    )
  if (source.startsWith('/ipfs/')) {
    const { cid } = await context.parts.paths.resolve(source, how).catch(failed)
    await putAnnounced(cid)
    return
  }
  const { tree } = context
  const { cid } = await tree.run(() => targetAt(tree, source), how).catch(failed)
  // Directories that are made within the source are no part of what is copied.
  if (parents) return putAnnounced(cid)
  await context.nodes.store(how)
  await checkSource(cid)
  await put(() => targetAt(tree, source))
}

/** @throws E_MFS_NOT_UNIXFS */
function checkUnixFs({ kind, node }: LoadedBlock): void {
  if (kind === 'raw') return
  if (kind !== 'dag-pb') throw mfsErrors.E_MFS_NOT_UNIXFS()
  try {
    decodeUnixFs(node.data)
  } catch (error) {
    throw mfsErrors.E_MFS_NOT_UNIXFS(messageOf(error))
  }
}

/** Whether a forced copy may take the place of what is there: only of a file. @throws E_MFS_UNLINK_… */
function checkReplaceable(tree: Tree, path: string): void {
  const { folder, name } = splitPath(path)
  const parent = tree.find(namesOf(folder))
  if (parent === undefined) return
  if (!(parent instanceof Directory)) throw mfsErrors.E_MFS_UNLINK_BELOW_FILE(folder)
  if (tree.child(parent, name) instanceof Directory) throw mfsErrors.E_MFS_UNLINK_DIRECTORY(path)
}

/**
 * Puts a node at a path where nothing is, or with `force` a file. Nothing is changed before all that may be refused.
 *
 * @throws E_MFS_NO_NAME, E_MFS_ENTRY_EXISTS, and what looking the directory up does
 */
export async function putNode(context: Context, path: string, target: () => Target, options: MfsMakeOptions): Promise<void> {
  const { parents, naming, force = false, ...how } = options
  const { folder, name } = splitPath(path)
  if (name === '') throw mfsErrors.E_MFS_NO_NAME()
  const { tree } = context
  await tree.run(() => {
    const above = parents ? parentsOf(context, path, naming) : undefined
    const at = above?.at ?? directoryAt(tree, folder)
    if (above?.isThere ?? true) checkFree(tree, at, name, force)
    const { cid, size } = target()
    context.put(above?.make() ?? at, name, cid, size)
  }, how)
}

/** @throws E_MFS_ENTRY_EXISTS */
function checkFree(tree: Tree, parent: Directory, name: string, force: boolean): void {
  const there = parent.children.has(name) || parent.entries.get(name) !== undefined
  if (there && !force) throw mfsErrors.E_MFS_ENTRY_EXISTS()
  // a directory may have come there since it was looked at
  if (there && tree.child(parent, name) instanceof Directory) throw mfsErrors.E_MFS_ENTRY_EXISTS()
}

/** A node outside of the tree: its first block alone is loaded. */
export async function loadTarget(context: Context, cid: CID, options: BlockOptions): Promise<Target> {
  const loaded = await context.nodes.load(cid, options)
  return { cid, size: loaded.kind === 'other' ? loaded.bytes.length : sizeOf(cumulativeSize(loaded)) }
}

function targetAt(tree: Tree, path: string): Target {
  const at = lookup(tree, path)
  return at instanceof Directory ? tree.fold(at) : at
}

/** The check that the reference makes when it opens what it has put, in its words: here it fails before anything is put. */
function checkOpens({ tree }: Context, node: LoadedBlock, path: string): void {
  try {
    const kind = kindOf(node)
    if (kind.type === 'symlink') throw mfsErrors.E_MFS_SYMLINK()
    if (kind.type === 'file') tree.learn(node.cid, kind)
  } catch (error) {
    throw prefixed(`cp: cannot flush the created file ${path}: `, error)
  }
}

function withoutEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
