/** Puts blocks into the repo given as its argument until the system refuses, and prints what happened as JSON. */
import { messageOf } from '../../../../core/index.ts'
import { openRocks } from '../backends.ts'
import { sample } from '../samples.ts'

const { storage, blocks } = await openRocks(process.argv[2] as string)
const large = sample(1, 8 << 20)
const tooLarge = await blocks.putBytes(large.multihash, large.bytes).then(() => '', messageOf)
let stored = 0
let refused = ''
while (refused === '') {
  const { multihash, bytes } = sample(stored, 1000)
  await blocks.putBytes(multihash, bytes).then(
    () => stored++,
    error => {
      refused = messageOf(error)
    }
  )
}
const readable = Buffer.compare((await blocks.getBytes(sample(0, 1000).multihash)) ?? Buffer.of(), sample(0, 1000).bytes) === 0
await storage.close().catch(() => {})
console.log(JSON.stringify({ stored, refused, tooLarge, readable }))
