/** `node killed-child.js REPO COUNT`: pins a tree, says `there` when that many of its blocks were read, and reads no more. */
import { openRocks } from '../storage/backends.ts'
import { tree, world } from './world.ts'

const [repo = '', count = ''] = process.argv.slice(2)
const { data } = await openRocks(repo)
const w = world({ datastore: data })
w.blocks.beforeRead = async reads => {
  if (reads < Number(count)) return
  if (reads === Number(count)) process.stdout.write('there\n')
  await new Promise(() => {})
}
// What waits for nothing keeps no process alive.
setInterval(() => {}, 1000)
await w.pins.add(tree(w, 6, 4).root, { name: 'resumed' })
