/**
 * Puts blocks and keys into the repo given as its argument until it is killed, and says on its standard output, after each, that it is
 * stored: `block N SIZE`, `key N`, `durable N` (everything up to N survived a durability point).
 */
import { Key } from 'interface-datastore'
import { openRocks } from '../backends.ts'
import { sample } from '../samples.ts'

const SIZES = [100, 1000, 4096, 5000, 50_000]
const CALLERS = 12

const repo = process.argv[2] as string
const { blocks, data } = await openRocks(repo, { writeBuffer: 65_536 })
let next = Number(process.argv[3])

// Straight to the descriptor: what was written when the process dies has been said.
const { writeSync } = await import('node:fs')
const say = (line: string) => writeSync(1, `${line}\n`)

async function put(): Promise<void> {
  for (;;) {
    const number = next++
    const size = SIZES[number % SIZES.length] as number
    const { multihash, bytes } = sample(number, size)
    await blocks.putBytes(multihash, bytes)
    say(`block ${number} ${size}`)
    const batch = data.batch()
    batch.put(new Key(`/pins/${number}`), multihash)
    batch.put(new Key(`/other/${number}`), multihash)
    await batch.commit()
    say(`key ${number}`)
    if (number % 50 === 0) {
      await data.sync?.()
      say(`durable ${number}`)
    }
  }
}

await Promise.all(Array.from({ length: CALLERS }, put))
