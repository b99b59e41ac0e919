/** What uploads leave to the collector of garbage. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HeapProfiler, Session } from 'node:inspector/promises'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Upload } from '../../../../host/rpc/upload/upload.ts'
import { WholeUpload } from '../../../../host/rpc/upload/whole-upload.ts'

const HEAD = Buffer.from('--edge\r\nContent-Disposition: form-data; filename="f"\r\n\r\n')
const TAIL = Buffer.from('\r\n--edge--\r\n')
const HEADERS = { 'transfer-encoding': 'chunked', 'content-type': 'multipart/form-data' }
const LIMITS = { parts: 1000, partHeaderBytes: 1000, bodyTimeoutMs: 0 }

/** The body of a small file, whose rest comes when its beginning has been read, as from a socket. */
async function upload(): Promise<number> {
  const request = Object.assign(new Readable({ read() {} }), { headers: HEADERS })
  const body = new Upload(request as unknown as IncomingMessage, new EventEmitter() as ServerResponse, 'edge', LIMITS)
  request.push(HEAD)
  void setImmediate().then(() => {
    request.push(TAIL)
    request.push(null)
  })
  let size = 0
  for await (const part of body) for await (const bytes of part.bytes({ lent: true })) size += bytes.length
  return size
}

/** The same of one that has come whole, and is not read where it is. */
async function whole(): Promise<number> {
  const request = Object.assign(new Readable({ read() {} }), { headers: HEADERS, complete: true })
  request.push(Buffer.concat([HEAD, TAIL]))
  request.push(null)
  const body = new WholeUpload(request as unknown as IncomingMessage, 'edge', LIMITS)
  let size = 0
  for await (const part of body) for await (const bytes of part.bytes({ lent: true })) size += bytes.length
  await setImmediate()
  return size
}

/** Bytes of what was made and not collected while it was young. */
async function survivors(work: () => Promise<void>): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', { samplingInterval: 4096, includeObjectsCollectedByMajorGC: true })
  await work()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    children.reduce((sum, child) => sum + sizeOf(child), selfSize)
  return sizeOf(profile.head)
}

for (const [what, one] of [
  ['an upload that is over', upload],
  ['an upload that came whole', whole]
] as const) {
  test.serial(`${what} is collected while it is young`, async t => {
    const run = async (count: number) => {
      for (let i = 0; i < count; i += 10) t.deepEqual(await Promise.all(Array.from({ length: 10 }, one)), Array(10).fill(0))
    }
    await run(1000)
    const bytes = (await survivors(() => run(4000))) / 4000
    t.log(`${bytes.toFixed(0)} bytes of each are taken for old`)
    t.true(bytes < 5000, `${bytes} bytes of each are taken for old`)
  })
}
