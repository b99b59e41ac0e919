/** Requests that no kernel sends: cut short, with lengths, names, nodes and handles that are not so, and with operations that are not known. */
import test from 'ava'
import fc from 'fast-check'
import { Mfs } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { decodeForgets, decodeInterrupt, decodeRequest, encodeInit, Op, type Request } from '../../../plugins/mount/fuse/protocol.ts'
import { Waiting } from '../../../plugins/mount/fuse/tree/file.ts'
import { TreeFiles } from '../../../plugins/mount/fuse/tree/tree.ts'

const MIB = 1 << 20

/** A request as bytes, whose head says the truth about its length. */
function bytesOf(op: number, node: bigint, body: Uint8Array): Buffer {
  const head = Buffer.alloc(40)
  head.writeUInt32LE(40 + body.length, 0)
  head.writeUInt32LE(op, 4)
  head.writeBigUInt64LE(7n, 8)
  head.writeBigUInt64LE(node, 16)
  return Buffer.concat([head, body])
}

const ops = fc.oneof(fc.constantFrom(...Object.values(Op)), fc.nat(0xffffffff))
const nodes = fc.oneof(fc.constantFrom(0n, 1n, 2n, 3n, 0xffffffffffffffffn), fc.bigInt(0n, 0xffffffffffffffffn))
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 128 }),
  fc.uint8Array({ minLength: 24, maxLength: 64 }).map(tail => Buffer.concat([Buffer.alloc(40, 0xff), tail])),
  fc.uint8Array({ maxLength: 64 }).map(tail => Buffer.concat([Buffer.alloc(16), tail]))
)

test('each request that no kernel sends is answered with an error or as it says, by little memory', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = host.service(Mfs)!
  const files = new TreeFiles({ tree, waiting: new Waiting(4 * MIB), maxNodes: 100, maxHandles: 100, maxEntries: 100 })
  const before = process.memoryUsage().rss
  await fc.assert(
    fc.asyncProperty(ops, nodes, bodies, async (op, node, body) => {
      const request: Request = decodeRequest(bytesOf(op, node, body))
      if (op === Op.INIT) return void encodeInit(request.body)
      if (op === Op.INTERRUPT) return void decodeInterrupt(request.body)
      if (op === Op.FORGET || op === Op.BATCH_FORGET) {
        for (const [of, times] of decodeForgets(request)) files.forget(of, times)
        return
      }
      let answer: Uint8Array | number
      try {
        answer = await files.handle(request, AbortSignal.timeout(5000))
      } catch (error) {
        answer = files.errorOf(error)
      }
      if (typeof answer === 'number') t.true(Number.isInteger(answer) && answer > 0 && answer < 200, `${answer} of operation ${op}`)
      else t.true(answer.length <= MIB, `${answer.length} bytes of operation ${op}`)
    }),
    { numRuns: 3000 }
  )
  t.true(process.memoryUsage().rss - before < 256 * MIB)
})

test('a request that is not as long as it says is none', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
      const isWhole = bytes.length >= 40 && Buffer.from(bytes).readUInt32LE(0) === bytes.length
      if (!isWhole) t.throws(() => decodeRequest(Buffer.from(bytes)), { instanceOf: RangeError })
    })
  )
})
