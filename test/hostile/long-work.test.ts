/** Calls that compute for long: their `timeout`, their callers' leaving and a signal to stop are seen all the same. */
import { once } from 'node:events'
import test from 'ava'
import { type Attack, attacks } from './support/attack.ts'
import { multipart } from './support/http.ts'
import { startTarget, type Target } from './support/node.ts'

const MIB = 1 << 20
const LATE = /context deadline exceeded/

/** Text that stands for bytes in a base, as long as the limit lets it be. */
const text = (start: string, digit: string) => Buffer.alloc(64 * MIB - 64, digit).fill(start, 0, start.length)

function ended(name: string, path: string, part: Uint8Array, limits: Partial<Attack>): Attack {
  return {
    name: `${name}, in a second`,
    async act(target) {
      const { status, text, error } = await target.ask({ path: `${path}${path.includes('?') ? '&' : '?'}timeout=1s`, parts: [part] })
      const said = error ?? text
      if (status !== 200 && !LATE.test(said)) throw new Error(`${status} ${said}`)
    },
    ...limits
  }
}

const long: readonly Attack[] = [
  ...['keccak-512', 'blake2b-256'].map(hash =>
    ended(`a block of 64 MiB under ${hash}`, `block/put?allow-big-block=true&mhtype=${hash}`, Buffer.alloc(64 * MIB, 'x'), {
      turn: 500,
      memory: 300
    })
  ),
  ended('a text of 31 MiB under keccak-512', 'dag/put?hash=keccak-512', Buffer.alloc(31 * MIB, '"').fill('x', 1, 31 * MIB - 1), {
    memory: 300
  }),
  ended('64 MiB of base2', 'multibase/decode', text('0', '1'), { memory: 400 }),
  ended('64 MiB of base2 into base2', 'multibase/transcode?b=base2', text('0', '1'), { memory: 400 }),
  ended('64 MiB of base32', 'multibase/decode', text('b', 'a'), { memory: 400 }),
  ended('64 MiB of emoji', 'multibase/decode', text('🚀', '🚀'), { memory: 400 }),
  ended('16 MiB into emoji', 'multibase/encode?b=base256emoji', Buffer.alloc(16 * MIB, 'x'), { memory: 300 }),
  ended('60,000 CIDs', 'cid/format?f=%25P', Buffer.from('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy\n'.repeat(60_000)), {
    turn: 500
  })
]

attacks(test, long)

/** A node that hashes for seconds, and the request that makes it. */
async function hashing(target: Target): Promise<{ answer: Promise<unknown> }> {
  const path = 'block/put?allow-big-block=true&mhtype=keccak-512'
  const one = multipart([Buffer.alloc(63 * MIB, 'x')])
  const answer = target.ask({ path, body: one, headers: { 'Content-Type': 'multipart/form-data; boundary=edge-of-the-part' } })
  while ((await target.vitals()).running === 0) await target.ask({ path: 'version' })
  return { answer }
}

test('a node that hashes 63 MiB stops when it is told to', async t => {
  const target = await startTarget({ rpc: { limits: { stopGraceMs: 100 } } })
  t.teardown(() => target.stop())
  const gone = once(target.process, 'exit')
  const { answer } = await hashing(target)
  const left = answer.then(
    () => {},
    () => {}
  )
  target.process.kill('SIGTERM')
  t.deepEqual(await gone, [0, null])
  await left
})
