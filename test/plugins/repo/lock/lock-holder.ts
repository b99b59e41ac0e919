import { once } from 'node:events'
import { messageOf } from '../../../../core/index.ts'
import { acquireLock } from '../../../../plugins/repo/lock.ts'

/** Run as a process of its own: waits for a word, takes the lock named by its argument, says how that went, lives until it is told to end. */
process.stdout.write('ready\n')
await once(process.stdin, 'data')
try {
  const lock = await acquireLock(process.argv[2]!)
  process.stdout.write('held\n')
  await once(process.stdin, 'data')
  await lock.release()
  process.exit(0)
} catch (error) {
  process.stdout.write(`refused ${messageOf(error)}\n`)
  process.exit(3)
}
