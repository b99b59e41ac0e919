import { nodeConfigModel } from '../../../config/node/index.ts'
import { NodeRepo } from '../../../plugins/repo/node-repo.ts'

/** Run as a process of its own: changes a repo's configuration again and again and says each number that is written. */
const repo = new NodeRepo({ path: process.argv[2]!, init: {} }, nodeConfigModel, new Map())
await repo.start()
await repo.afterStart()
for (let n = 1; ; n++) {
  await repo.updateConfig(config => ({ ...config, Number: n, Filling: 'x'.repeat(n * 1000) }))
  process.stdout.write(`${n}\n`)
}
