/** Calls on the mutable tree, and what they are to do. Each answers whether the tree changed. */
import { collected } from './collected.ts'
import { codeOf } from './hold.ts'
import { copyOf, type File, type Folder, folder, isFolder, type Model, type ModelEntry, type Naming, V1 } from './model.ts'
import type { NamingOptions, Step, StepOf } from './steps.ts'
import type { World } from './world.ts'

type TreeStep = Extract<Step, { kind: 'write' | 'mkdir' | 'cp' | 'cpIn' | 'mv' | 'rm' | 'chcid' | 'flush' | 'fill' | 'empty' | 'crowd' }>

/** Gaps beyond it are refused (`plugins.mfs.maxGap`). */
const MOST_GAP = 2 ** 30

const textOf = (path: readonly string[]) => `/${path.join('/')}`

/** What options ask for; undefined: nothing; `refused`: what no node may have. */
function namingOf({ cidVersion, hash }: NamingOptions): Naming | undefined | 'refused' | 'unfollowed' {
  if (cidVersion === undefined && hash === undefined) return undefined
  if (cidVersion === 2 || hash === 'murmur3-x64-64') return 'refused'
  if (hash === 'identity') return 'unfollowed'
  return hash === undefined ? { version: cidVersion!, hash: 0x12 } : { version: 1, hash: codeOf(hash) }
}

function made(asked: Naming | 'unfollowed' | undefined, inherited: Naming | undefined): Naming | undefined {
  return asked === 'unfollowed' ? undefined : (asked ?? inherited)
}

/** Makes the directories of a path; those that are there stay, the last one gets the naming. @returns false where a file is in the way */
function makeFolders(model: Model, path: readonly string[], asked: Naming | 'unfollowed' | undefined): boolean {
  let at = model.root
  for (const [i, name] of path.entries()) {
    const there = at.entries.get(name)
    if (there !== undefined && !isFolder(there)) return false
    if (there === undefined) at.entries.set(name, folder(made(asked, at.naming)))
    else if (asked !== undefined && i === path.length - 1) there.naming = made(asked, there.naming)
    at = at.entries.get(name) as Folder
  }
  return true
}

function written(before: Buffer, bytes: Buffer, offset: number): Buffer {
  const after = Buffer.alloc(Math.max(before.length, offset + bytes.length))
  before.copy(after)
  bytes.copy(after, offset)
  return after
}

async function write(world: World, step: StepOf<'write'>): Promise<boolean> {
  const { model } = world
  const { path, truncate, create, parents, rawLeaves, flush } = step
  const there = model.at(path)
  const before = there === undefined || isFolder(there) ? undefined : there
  const offset = step.offset === -1 ? (before?.data.length ?? 0) : step.offset
  const kept = truncate ? Buffer.alloc(0) : (before?.data ?? Buffer.alloc(0))
  const bytes = step.count === undefined ? step.content : step.content.subarray(0, Math.max(0, step.count))
  const isBeyond = offset + bytes.length > kept.length
  const asked = namingOf(step.naming)
  const call = () =>
    world.call(
      'files/write',
      [textOf(path)],
      {
        ...step.naming,
        offset: BigInt(offset),
        truncate,
        create,
        parents,
        flush,
        ...(step.count === undefined ? {} : { count: BigInt(step.count) }),
        ...(rawLeaves === undefined ? {} : { rawLeaves })
      },
      [['data', step.content]]
    )
  if (asked === 'refused' || offset < 0) return world.expect(false, step, call)
  const isReached = parents ? isFree(model, path) : model.folderAt(path.slice(0, -1)) !== undefined
  const isFile = there === undefined ? create : !isFolder(there)
  if (!isReached || !isFile || !fits()) return world.expect(false, step, call)
  if (parents) makeFolders(model, path.slice(0, -1), asked)
  const into = model.folderAt(path.slice(0, -1))!
  const naming = before === undefined ? made(asked, into.naming) : before.naming
  await world.expect(true, step, call)
  into.entries.set(path.at(-1)!, fileAfter())
  return true

  function fits(): boolean {
    return (step.count ?? 0) >= 0 && offset - kept.length <= MOST_GAP
  }

  function fileAfter(): File {
    const isWhole = before !== undefined && !isBeyond && kept.length === before.data.length
    return { data: written(kept, bytes, offset), form: isWhole ? before.form : 'tree', naming }
  }
}

async function mkdir(world: World, step: StepOf<'mkdir'>): Promise<boolean> {
  const { model } = world
  const { path, parents, flush } = step
  const asked = namingOf(step.naming)
  const call = () => world.call('files/mkdir', [textOf(path)], { parents, flush, ...step.naming })
  if (asked === 'refused') return world.expect(false, step, call)
  const there = model.at(path)
  const isDone = parents
    ? isFree(model, path) && (there === undefined || isFolder(there))
    : model.folderAt(path.slice(0, -1)) !== undefined && there === undefined
  if (isDone) makeFolders(model, path, asked)
  return world.expect(isDone, step, call)
}

/** Whether no file is on the way to a path. */
function isFree(model: Model, path: readonly string[]): boolean {
  return path.slice(0, -1).every((_, i) => {
    const at = model.at(path.slice(0, i + 1))
    return at === undefined || isFolder(at)
  })
}

async function cp(world: World, step: StepOf<'cp'>): Promise<boolean> {
  const { model } = world
  const source = model.at(step.path)
  const isDone = put(model, source && copyOf(source), step.slash === '' ? step.to : [...step.to, step.path.at(-1)!], step.parents)
  const call = () => world.call('files/cp', [textOf(step.path), textOf(step.to) + step.slash], { flush: step.flush, parents: step.parents })
  return world.expect(isDone, step, call)
}

/** What lies under a CID that was seen. */
async function cpIn(world: World, step: StepOf<'cpIn'>): Promise<boolean> {
  const { model } = world
  const choice = [...model.known.keys(), ...model.blocks.keys()]
  const cid = choice[step.which % choice.length]
  if (cid === undefined) return false
  const block = model.blocks.get(cid)
  const known = model.known.get(cid)
  if (known !== undefined && !known.whole) return false
  const entry: ModelEntry | undefined =
    block === undefined ? known!.entry : block.there ? { data: block.data, form: 'raw', naming: V1 } : undefined
  const isDone = put(model, entry && copyOf(entry), step.slash === '' ? step.to : [...step.to, cid], false)
  const call = () => world.call('files/cp', [`/ipfs/${cid}`, textOf(step.to) + step.slash], { flush: step.flush, offline: true })
  return world.expect(isDone, { ...step, cid }, call)
}

/** Puts an entry where nothing is; what is refused leaves nothing, no directory either. */
function put(model: Model, entry: ModelEntry | undefined, to: readonly string[], parents: boolean): boolean {
  const above = to.slice(0, -1)
  const isReached = parents ? isFree(model, to) : model.folderAt(above) !== undefined
  if (entry === undefined || !isReached || model.folderAt(above)?.entries.has(to.at(-1)!)) return false
  if (parents) makeFolders(model, above, undefined)
  model.folderAt(above)!.entries.set(to.at(-1)!, entry)
  return true
}

function mv(world: World, step: StepOf<'mv'>): Promise<boolean> {
  const isDone = moved(world.model, step.path, step.to, step.slash !== '')
  return world.expect(isDone, step, () => world.call('files/mv', [textOf(step.path), textOf(step.to) + step.slash], { flush: step.flush }))
}

/** A file is moved over a file that is named; into a directory, things go under their own names, where there is none of that name. */
export function moved(model: Model, from: readonly string[], to: readonly string[], isDirectory: boolean): boolean {
  const node = model.at(from)
  const source = model.folderAt(from.slice(0, -1))
  const there = model.at(to)
  const isInto = isDirectory || (there !== undefined && isFolder(there))
  const folder = isInto ? to : to.slice(0, -1)
  const target = model.folderAt(folder)
  if (node === undefined || source === undefined || target === undefined) return false
  if (isFolder(node) && from.every((name, i) => folder[i] === name)) return false
  const name = isInto ? from.at(-1)! : to.at(-1)!
  if (target === source && name === from.at(-1)) return true
  if (target.entries.has(name) && (isInto || isFolder(node))) return false
  source.entries.delete(from.at(-1)!)
  target.entries.set(name, node)
  return true
}

async function rm(world: World, step: StepOf<'rm'>): Promise<boolean> {
  const { path, recursive, force } = step
  const parent = world.model.folderAt(path.slice(0, -1))
  const there = world.model.at(path)
  const isRefused = parent === undefined || there === undefined || (isFolder(there) && !recursive && !force)
  // Forced, it is no error that nothing is there, but that a file is on the way.
  const isForgiven = force && there === undefined && isFree(world.model, path)
  if (!isRefused) parent.entries.delete(path.at(-1)!)
  await world.expect(!isRefused || isForgiven, step, () => world.call('files/rm', [textOf(path)], { recursive, force }))
  // What removes nothing keeps nothing of what was before it.
  return !isRefused
}

async function chcid(world: World, step: StepOf<'chcid'>): Promise<boolean> {
  const there = world.model.at(step.path)
  const asked = namingOf(step.naming)
  const isNothing = asked === undefined && !step.flush
  const isDone = isNothing || (asked !== 'refused' && there !== undefined && (asked === undefined || isFolder(there)))
  if (isDone && !isNothing && asked !== undefined) (there as Folder).naming = made(asked, undefined)
  const call = () => world.call('files/chcid', [textOf(step.path)], { ...step.naming, flush: step.flush })
  return (await world.expect(isDone, step, call)) && !isNothing
}

/** Many entries at once, so that a directory goes over the threshold, and what is in it goes again. */
async function fill(world: World, { path, count, flush }: StepOf<'fill'>): Promise<boolean> {
  const into = world.model.folderAt(path.slice(0, -1))
  if (into === undefined) return false
  for (let i = 0; i < count; i++) {
    const name = `entry ${path.at(-1)} ${i}`
    const there = into.entries.get(name)
    const call = () =>
      world.call('files/write', [textOf([...path.slice(0, -1), name])], { create: true, truncate: true, flush }, [
        ['data', Buffer.from(name)]
      ])
    await world.expect(there === undefined || !isFolder(there), { fill: name }, call)
    if (there !== undefined && isFolder(there)) continue
    const naming = there === undefined ? into.naming : there.naming
    into.entries.set(name, { data: Buffer.from(name), form: 'tree', naming })
    world.changed(flush)
  }
  return count > 0
}

async function empty(world: World, { path }: StepOf<'empty'>): Promise<boolean> {
  const into = world.model.folderAt(path.slice(0, -1))
  if (into === undefined) return false
  for (const name of [...into.entries.keys()]) {
    into.entries.delete(name)
    await world.expect(true, { empty: name }, () => world.call('files/rm', [textOf([...path.slice(0, -1), name])], { recursive: true }))
    world.changed(true)
  }
  return true
}

/** Writers of different files at once, beside a collection: whatever comes first, all of it is there. */
async function crowd(world: World, { path, count }: StepOf<'crowd'>): Promise<boolean> {
  const { model } = world
  const into = model.folderAt(path.slice(0, -1))
  if (into === undefined) return false
  const names = Array.from({ length: count }, (_, i) => `crowd ${path.at(-1)} ${i}`)
  const data = (name: string) => Buffer.from(name.repeat(30))
  const before = names.map(name => into.entries.get(name))
  const isDone = before.every(there => there === undefined || !isFolder(there))
  if (!isDone) return false
  const writes = names.map(name =>
    world.call('files/write', [textOf([...path.slice(0, -1), name])], { create: true, truncate: true, flush: true }, [['data', data(name)]])
  )
  await world.expect(true, { crowd: names }, () => Promise.all([...writes, world.call('repo/gc')]))
  for (const [i, name] of names.entries()) {
    const there = before[i] as File | undefined
    into.entries.set(name, { data: data(name), form: 'tree', naming: there === undefined ? into.naming : there.naming })
  }
  await collected(world)
  return true
}

async function flush(world: World, { path }: StepOf<'flush'>): Promise<boolean> {
  const isThere = world.model.at(path) !== undefined
  await world.expect(isThere, { flush: path }, () => world.call('files/flush', [textOf(path)]))
  return isThere
}

const steps: { [K in TreeStep['kind']]: (world: World, step: StepOf<K>) => Promise<boolean> } = {
  write,
  mkdir,
  cp,
  cpIn,
  mv,
  rm,
  chcid,
  flush,
  fill,
  empty,
  crowd
}

export function isTreeStep(step: Step): step is TreeStep {
  return Object.hasOwn(steps, step.kind)
}

export async function changeTree(world: World, step: TreeStep): Promise<void> {
  const act = steps[step.kind] as (world: World, step: TreeStep) => Promise<boolean>
  if (await act(world, step)) world.changed('flush' in step ? step.flush : true)
}
