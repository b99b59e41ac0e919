import { nodeConfigModel } from '../../../config/node/index.ts'
import { messageOf } from '../../../core/index.ts'
import { NodeRepo } from '../../../plugins/repo/node-repo.ts'

/** Run as a process of its own, and where possible as a user without privileges: opens a repo and says how that went. */
const [path, init] = process.argv.slice(2)
const repo = new NodeRepo({ path, init: init === 'init' ? {} : undefined }, nodeConfigModel, new Map())
try {
  await repo.start()
  await repo.afterStart()
  await repo.stop()
  process.stdout.write('opened')
} catch (error) {
  process.stdout.write(messageOf(error))
}
