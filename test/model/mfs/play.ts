/** Calls on the mutable tree, and what they are to do. */
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { itemsOf } from '../../../host/testing.ts'
import { uploadOf } from '../../core/unixfs/import/upload.ts'
import type { Step, StepOf } from './steps.ts'
import { copyOf, type Entry, type File, type Folder, isFile, isFolder, isUnknown, type Lost, textOf, type World } from './world.ts'

/** What is in the tree, and how deep it is, at most. */
const MOST_ENTRIES = 600
const MOST_DEPTH = 6
const RAW = 0x55

type Layout = StepOf<'add'>['layout'] | { readonly [option: string]: unknown }

async function imported(world: World, files: ReadonlyArray<readonly [string, Uint8Array]>, layout: Layout): Promise<string> {
  const options = Object.fromEntries(Object.entries({ pin: false, ...layout }).filter(([, value]) => value !== undefined))
  const added = await itemsOf<{ Hash: string }>(world.host.call('add', { body: uploadOf(files), options }))
  return added.at(-1)!.Hash
}

async function* piecesOf(data: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += 65_536) yield data.subarray(at, at + 65_536)
}

/** Puts what was imported, where nothing is there. */
function put(world: World, path: readonly string[], cid: string, entry: Entry): Promise<boolean> {
  const into = world.folderAt(path.slice(0, -1))
  const isFree = into !== undefined && !into.entries.has(path.at(-1)!)
  if (isFree) into.entries.set(path.at(-1)!, entry)
  return world.expect(isFree, { put: path }, () => world.mfs.copy(`/ipfs/${cid}`, textOf(path), { flush: false }))
}

async function add(world: World, { to, content, layout }: StepOf<'add'>): Promise<void> {
  const most = layout.chunker === 'size-1' ? 500 : layout.chunker === 'size-7' ? 3000 : content.length
  const data = content.subarray(0, most)
  await put(world, world.pathOf(to), await imported(world, [['file', data]], layout), { data })
}

async function addFolder(world: World, { to, layout, count }: StepOf<'addFolder'>): Promise<void> {
  const data = Buffer.from('in a folder')
  const names = Array.from({ length: count + 1 }, (_, i) => `in ${i}`)
  const files = names.map(name => [`d/${name}`, data] as const)
  await put(world, world.pathOf(to), await imported(world, files, layout), { entries: new Map(names.map(name => [name, { data }])) })
}

async function write(world: World, step: StepOf<'write'>): Promise<void> {
  const { content, at, truncate, rawLeaves, flush } = step
  const path = world.pathOf(step.to)
  const there = world.at(path)
  const into = world.folderAt(path.slice(0, -1))
  // what is in the leaves that are left is told by no model
  if (there !== undefined && 'part' in there && there.part === 'leaf' && !truncate) return
  const before = isFile(there) ? there.data : Buffer.alloc(0)
  const offset = truncate ? Math.min(3, Math.floor(at)) : at > 1 ? before.length + 1000 : Math.floor(before.length * at)
  const isDone = into !== undefined && !isFolder(there) && !isUnknown(there)
  const how = { offset: BigInt(offset), create: true, truncate, flush, ...(rawLeaves === undefined ? {} : { rawLeaves }) }
  await world.expect(isDone, { write: path, ...step, content: content.length }, () => world.mfs.write(textOf(path), piecesOf(content), how))
  if (!isDone) return
  const kept = truncate ? Buffer.alloc(0) : before
  const data = Buffer.alloc(Math.max(kept.length, offset + content.length))
  kept.copy(data)
  content.copy(data, offset)
  into.entries.set(path.at(-1)!, { data })
}

async function mkdir(world: World, { to, naming, flush }: StepOf<'mkdir'>): Promise<void> {
  const path = world.pathOf(to)
  const into = world.folderAt(path.slice(0, -1))
  const isFree = into !== undefined && !into.entries.has(path.at(-1)!)
  if (isFree) into.entries.set(path.at(-1)!, { entries: new Map() })
  const how = { flush, ...(naming === undefined ? {} : { naming }) }
  await world.expect(isFree, { mkdir: path }, () => world.mfs.mkdir(textOf(path), how))
}

async function cp(world: World, step: StepOf<'cp'>): Promise<void> {
  const { slash, force, flush } = step
  const [from, to] = [world.pathOf(step.from), world.pathOf(step.to)]
  const source = world.at(from)
  const dest = slash === '' ? to : [...to, from.at(-1)!]
  const into = world.folderAt(dest.slice(0, -1))
  const there = into?.entries.get(dest.at(-1)!)
  const isFree = there === undefined || (force && !isFolder(there) && !isUnknown(there))
  const isDone = source !== undefined && !isUnknown(source) && into !== undefined && isFree
  const copy = source && copyOf(source)
  await world.expect(isDone, { cp: from, to: textOf(to) + slash, force }, () =>
    world.mfs.copy(textOf(from), textOf(to) + slash, { force, flush })
  )
  if (isDone) into.entries.set(dest.at(-1)!, copy!)
}

async function mv(world: World, step: StepOf<'mv'>): Promise<void> {
  const [from, to] = [world.pathOf(step.from), world.pathOf(step.to)]
  await move(world, from, to, step.slash, step.flush)
}

async function mvIntoItself(world: World, { from, name, slash }: StepOf<'mvIntoItself'>): Promise<void> {
  const path = world.pathOf(from)
  const inner = isFolder(world.at(path)) ? [...(world.at(path) as Folder).entries.keys()] : []
  await move(world, path, inner.length === 0 ? path : [...path, inner[name % inner.length]!], slash, true)
}

async function move(world: World, from: readonly string[], to: readonly string[], slash: string, flush: boolean): Promise<void> {
  const moved = world.at(from)
  const source = world.folderAt(from.slice(0, -1))
  const there = world.at(to)
  const isInto = slash !== '' || isFolder(there)
  const folder = isInto ? to : to.slice(0, -1)
  const target = world.folderAt(folder)
  const name = isInto ? from.at(-1)! : to.at(-1)!
  const isSame = target !== undefined && target === source && name === from.at(-1)
  const isTaken = target?.entries.has(name) === true && (isInto || isFolder(moved))
  const isIntoItself = isFolder(moved) && from.every((part, i) => folder[i] === part)
  const isKnown = moved !== undefined && !isUnknown(moved) && (isInto || !isUnknown(there))
  const isDone = isKnown && source !== undefined && target !== undefined && !isIntoItself && (isSame || !isTaken)
  await world.expect(isDone, { mv: from, to: textOf(to) + slash }, () => world.mfs.move(textOf(from), textOf(to) + slash, { flush }))
  if (!isDone || isSame) return
  source.entries.delete(from.at(-1)!)
  target.entries.set(name, moved)
}

async function rm(world: World, { from, recursive, flush }: StepOf<'rm'>): Promise<void> {
  const path = world.pathOf(from)
  const there = world.at(path)
  const isDone = there !== undefined && (recursive || (!isFolder(there) && !isUnknown(there)))
  await world.expect(isDone, { rm: path, recursive }, () => world.mfs.remove(textOf(path), { recursive, flush }))
  if (isDone) world.folderAt(path.slice(0, -1))!.entries.delete(path.at(-1)!)
}

async function chcid(world: World, { from, naming, flush }: StepOf<'chcid'>): Promise<void> {
  if (naming === undefined) return
  const path = world.pathOf(from)
  await world.expect(isFolder(world.at(path)), { chcid: path }, () => world.mfs.rename(textOf(path), naming, { flush }))
}

async function fill(world: World, { into, count }: StepOf<'fill'>): Promise<void> {
  const path = world.folderPath(into.which)
  const { entries } = world.folderAt(path)!
  for (let i = 0; i < count; i++) {
    const name = `${world.made++}`.padStart(into.which % 250, '-')
    const data = Buffer.from(name)
    await world.mfs.write(textOf([...path, name]), piecesOf(data), { create: true, flush: false })
    entries.set(name, { data })
  }
}

async function thin(world: World, { of, left }: StepOf<'thin'>): Promise<void> {
  const path = world.folderPath(of.which)
  const { entries } = world.folderAt(path)!
  for (const name of [...entries.keys()].slice(left)) {
    await world.mfs.remove(textOf([...path, name]), { recursive: true, flush: false })
    entries.delete(name)
  }
}

/** Something comes into the tree, and then a block of it is gone. */
async function lose(world: World, { to, what }: StepOf<'lose'>): Promise<void> {
  const path = world.pathOf(to)
  const data = Buffer.from(`lost ${world.made++} ${'.'.repeat(30)}`)
  const entry: File | Folder = what === 'folder' ? { entries: new Map([['a', { data }]]) } : { data }
  const root = await imported(world, [[what === 'folder' ? 'd/a' : 'f', data]], { cidVersion: 1, chunker: 'size-10' })
  if (!(await put(world, path, root, entry))) return
  await world.reopen()
  const cid = what === 'leaf' ? CID.createV1(RAW, await sha256.digest(data.subarray(0, 10))) : CID.parse(root)
  const lost: Lost = { entry, cid, bytes: await world.blocks.get(cid), part: what === 'leaf' ? 'leaf' : 'root' }
  await world.blocks.delete(cid)
  world.folderAt(path.slice(0, -1))!.entries.set(path.at(-1)!, lost)
}

/** The blocks that were lost are here again. */
export async function heal(world: World): Promise<void> {
  for (const path of world.paths(entry => 'part' in entry)) {
    const { entry, cid, bytes } = world.at(path) as Lost
    await world.blocks.put(cid, bytes)
    world.folderAt(path.slice(0, -1))!.entries.set(path.at(-1)!, copyOf(entry))
  }
}

export async function gc(world: World): Promise<void> {
  if (world.paths(entry => 'part' in entry).length === 0) await itemsOf(world.host.call('repo/gc'))
}

const steps: { [K in Step['kind']]: (world: World, step: StepOf<K>) => Promise<void> } = {
  add,
  addFolder,
  write,
  mkdir,
  cp,
  mv,
  mvIntoItself,
  rm,
  chcid,
  fill,
  thin,
  lose,
  heal,
  reopen: world => world.reopen(),
  gc,
  check: world => world.hold()
}

const growing: ReadonlySet<Step['kind']> = new Set(['add', 'addFolder', 'cp', 'fill', 'mkdir'])

/** @returns whether it was played: a tree that is large enough does not grow */
export async function play(world: World, step: Step): Promise<boolean> {
  if (growing.has(step.kind)) {
    const paths = world.paths()
    if (paths.length > MOST_ENTRIES || paths.some(path => path.length > MOST_DEPTH)) return false
  }
  const act = steps[step.kind] as (world: World, step: Step) => Promise<void>
  await act(world, step)
  return true
}
