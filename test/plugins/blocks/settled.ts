import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'

export function cidOf(text: string): CID {
  return CID.createV1(0x55, create(0x12, createHash('sha256').update(text).digest()))
}

export const hashOf = (text: string) => cidOf(text).multihash.bytes

/** Whether a promise has settled by the time all that is ready has run. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.finally(() => {
    settled = true
  })
  await new Promise(resolve => setImmediate(resolve))
  return settled
}

/** A promise, and what resolves it. */
export function held(): { until: Promise<void>; go: () => void } {
  let go = () => {}
  const until = new Promise<void>(resolve => {
    go = resolve
  })
  return { until, go }
}
