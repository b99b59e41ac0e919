import test from 'ava'
import { takenMemory } from '../../../../core/memory.ts'
import { Scavenger } from '../../../../host/cli/memory/scavenger.ts'

const MIB = 1 << 20

test('the young generation is collected for every 16 MiB that are taken, until it is stopped', t => {
  let collections = 0
  const scavenger = new Scavenger(() => collections++)
  for (let i = 0; i < 63; i++) takenMemory.publish(MIB / 4)
  t.is(collections, 0)
  takenMemory.publish(MIB / 4)
  t.is(collections, 1)
  takenMemory.publish(100 * MIB)
  t.is(collections, 2)
  for (let i = 0; i < 15; i++) takenMemory.publish(MIB)
  t.is(collections, 2)
  scavenger.stop()
  takenMemory.publish(100 * MIB)
  t.is(collections, 2)
})

test('what was taken and dropped is freed', t => {
  const scavenger = new Scavenger()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 256; i++) {
    Buffer.allocUnsafeSlow(MIB)
    takenMemory.publish(MIB)
  }
  scavenger.stop()
  t.true(process.memoryUsage().arrayBuffers - before < 64 * MIB)
})
