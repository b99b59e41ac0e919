import type { World } from './world.ts'

/** A collection has run: what nothing keeps is gone, what is kept is not. */
export async function collected(world: World): Promise<void> {
  const { model } = world
  for (const [cid, block] of model.blocks) block.there &&= model.keepsBlock(cid, block.data)
  for (const [cid, node] of model.nodes) node.there &&= model.pins.has(cid)
  for (const [cid, known] of model.known) {
    if (known.whole && model.pins.get(cid)?.mode !== 'recursive') known.whole = await isWhole(world, cid)
  }
}

async function isWhole(world: World, cid: string): Promise<boolean> {
  try {
    await world.call('block/stat', [cid], { offline: true })
    await world.call('refs', [cid], { recursive: true, offline: true })
    return true
  } catch {
    return false
  }
}
