import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { Key } from 'interface-datastore'
import { all } from '../../../helpers/streams.ts'
import { openRocks, temporaryFolder } from '../backends.ts'
import { sample } from '../samples.ts'

const child = fileURLToPath(new URL('./crash-child.js', import.meta.url))
/** Lines said before the process is killed: early, in the middle of the first table files, and later. */
const ROUNDS = [1, 40, 333, 1500, 4000]

/** Runs the child until it has said `lines` lines, kills it, and answers all it said. */
async function killedAfter(repo: string, first: number, lines: number): Promise<string[]> {
  const running = spawn(process.execPath, [child, repo, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  for await (const line of createInterface({ input: running.stdout })) {
    said.push(line)
    if (said.length === lines) running.kill('SIGKILL')
  }
  return said
}

test('everything that was acknowledged is there after the process was killed, again and again', async t => {
  const repo = await temporaryFolder()
  const acknowledged = new Map<number, number>()
  const keys = new Set<number>()
  let first = 0
  for (const lines of ROUNDS) {
    const said = await killedAfter(repo, first, lines)
    t.true(said.length >= lines)
    for (const [what, number, size] of said.map(line => line.split(' '))) {
      if (what === 'block') acknowledged.set(Number(number), Number(size))
      if (what === 'key') keys.add(Number(number))
      first = Math.max(first, Number(number) + 1)
    }
    first += 100

    const { storage, blocks, data } = await openRocks(repo)
    for (const [number, size] of acknowledged) {
      const { multihash, bytes } = sample(number, size)
      const got = await blocks.getBytes(multihash)
      if (got === undefined || Buffer.compare(got, bytes) !== 0) t.fail(`block ${number} of ${size} bytes`)
    }
    for (const number of keys) {
      if (!(await data.has(new Key(`/pins/${number}`)))) t.fail(`/pins/${number}`)
      if (!(await data.has(new Key(`/other/${number}`)))) t.fail(`/other/${number}`)
    }
    const pins = await all(data.queryKeys({ prefix: '/pins/' }))
    const others = await all(data.queryKeys({ prefix: '/other/' }))
    t.is(pins.length, others.length, 'what goes into one batch is there together or not at all')
    for await (const multihash of blocks.listMultihashes()) t.truthy(await blocks.getBytes(multihash), 'a block that is listed can be read')
    await blocks.tidy()
    await storage.close()
  }
  await rm(repo, { recursive: true })
})
