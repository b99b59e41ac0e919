/** Resident memory at rest, and by how much it has grown at its peak while 4 GiB are added and after. `node memory.js [GiB]` */
import { oneFile, startNode } from '../support/node.ts'
import { MiB, report } from '../support/report.ts'

const size = Number(process.argv[2] ?? 4) * 1024 * MiB
const node = await startNode()
try {
  await new Promise(resolve => setTimeout(resolve, 3000))
  const idle = await node.memory()
  let peak = idle
  const watch = setInterval(async () => {
    peak = Math.max(peak, await node.memory())
  }, 100)
  await node.post('add?pin=false', oneFile(size, 7))
  clearInterval(watch)
  await new Promise(resolve => setTimeout(resolve, 5000))
  const after = await node.memory()
  report({ name: 'memory at rest against the aim', measured: idle, against: 110, unit: 'MiB', atMost: 1 })
  report({
    name: `growth at the peak of adding ${size / MiB / 1024} GiB against the aim`,
    measured: peak - idle,
    against: 100,
    unit: 'MiB',
    atMost: 1
  })
  report({ name: 'growth that stays against the aim', measured: Math.max(1, after - idle), against: 100, unit: 'MiB', atMost: 1 })
} finally {
  await node.stop()
}
