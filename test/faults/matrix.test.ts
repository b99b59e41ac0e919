/**
 * Every rule of a failing disk, and every kind of write: what was acknowledged is there while the node goes on, after it was killed, after a
 * power cut, and after a regular stop. `FAULTS_ALL=1` takes all rules, `FAULTS_RULE` those that have its text.
 */
import { once } from 'node:events'
import type { ExecutionContext } from 'ava'
import { Refused } from '../crash/support/rpc.ts'
import type { Daemon } from '../helpers/process/daemon.ts'
import { type Disk, onFaultyDisk } from './disk.ts'
import { modelAfter } from './power-cut.ts'
import { type Acknowledged, writes, wrongOf } from './writes.ts'

const ALL = process.env['FAULTS_ALL'] === '1'
const WANTED = process.env['FAULTS_RULE']

/** Callers at a time. */
const LANES = 3

/** Small, so that tables are written. */
const SETTINGS = { 'storage-rocksdb': { writeBuffer: 64 << 10, segmentSize: 256 << 10 } }

/** Rules of `npm test`. */
const FEW = [
  'write journal/* torn times=2',
  'write segments/* EIO times=2',
  'sync segments/* EIO times=1',
  'sync db/*.log EIO times=1',
  'write,mkdir,allocate * ENOSPC'
]

const MANY = [
  ...['ENOSPC', 'EIO times=1', 'EIO after=3', 'short'].map(how => `write journal/* ${how}`),
  ...['ENOSPC', 'EIO times=1', 'torn times=1', 'EIO after=5', 'short'].map(how => `write db/*.log ${how}`),
  ...['ENOSPC times=1', 'EIO', 'short'].map(how => `write db/*.sst ${how}`),
  ...['EIO times=1', 'ENOSPC'].map(how => `write db/MANIFEST* ${how}`),
  // Memory fills up while the table is on its way that cannot be named.
  'sync db/*.sst slow=1000, write db/MANIFEST* ENOSPC',
  ...['ENOSPC', 'EIO', 'torn times=2', 'short'].map(how => `write segments/* ${how}`),
  ...['torn times=1', 'ENOSPC', 'short'].map(how => `write config.tmp ${how}`),
  ...['torn times=1', 'ENOSPC', 'short'].map(how => `write keystore/* ${how}`),
  ...['EIO times=1', 'EIO', 'slow=20'].map(how => `sync journal/* ${how}`),
  ...['EIO', 'slow=20'].map(how => `sync db/*.log ${how}`),
  ...['EIO', 'EIO after=1 times=1', 'slow=20'].map(how => `sync segments/* ${how}`),
  ...['segments', 'db', 'keystore', '.', 'db/*.sst', 'db/MANIFEST*', 'keystore/*', 'config.tmp'].map(path => `sync ${path} EIO times=1`),
  'sync * EIO',
  'sync * slow=20',
  ...['EMFILE', 'EMFILE after=3 times=5'].map(how => `open * ${how}`),
  ...['segments/*', 'db/*', 'keystore/*', 'config*'].map(path => `open ${path} EMFILE times=3`),
  ...['rename', 'unlink', 'truncate', 'allocate'].map(op => `${op} * EIO times=3`),
  'statfs * full',
  'statfs * EIO',
  ...['db/*', 'segments/*', 'journal/*'].map(path => `read ${path} EIO times=4`),
  ...['db/*', 'segments/*', 'journal/*'].map(path => `read ${path} short`)
]

/** Rules that no call may meet in a short run, as what they are for comes seldom. */
const SELDOM =
  /^(sync db |sync segments EIO|sync db\/MANIFEST|write db\/MANIFEST|open segments|read (journal|db|segments)|truncate|open db|sync \* |unlink|statfs)/

interface Answers {
  readonly kept: Acknowledged[]
  refused: number
}

/** One write of each kind, by some callers at a time. What is refused was not done, or was: nobody was told. */
async function writeAll(node: Daemon, first: number, answers: Answers): Promise<void> {
  const left = writes.values()
  const lane = async () => {
    for (const write of left) {
      const n = first + writes.indexOf(write)
      try {
        answers.kept.push(await write.run(node.url, n))
      } catch (error) {
        answers.refused++
        // an answer that breaks off because the node is dead, which only a rule may bring about
        if (!(error instanceof Refused) && !(await isDead(node))) throw error
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** A process that was just killed may not be known to be dead. */
async function isDead({ process }: Daemon): Promise<boolean> {
  if (process.signalCode === null) await once(process, 'exit', { signal: AbortSignal.timeout(2000) }).catch(() => {})
  return process.signalCode !== null
}

const durable = (kept: readonly Acknowledged[]) => kept.filter(({ isDurable }) => isDurable)

async function hold(t: ExecutionContext, node: Daemon, kept: readonly Acknowledged[], when: string): Promise<void> {
  t.deepEqual(await wrongOf(node.url, kept), [], when)
}

async function afterPowerCut(t: ExecutionContext, disk: Disk, kept: readonly Acknowledged[]): Promise<void> {
  const repo = disk.folder('cut')
  modelAfter(disk.records()).leave(repo)
  disk.reboot()
  const node = await disk.start(repo)
  await hold(t, node, durable(kept), 'after a power cut')
  await node.kill()
}

for (const rule of [...FEW, ...(ALL || WANTED !== undefined ? MANY : [])].filter(rule => WANTED === undefined || rule.includes(WANTED)))
  onFaultyDisk(`nothing that was acknowledged is lost: ${rule}`, async (t, disk) => {
    t.timeout(300_000)
    disk.configure(SETTINGS)
    const answers: Answers = { kept: [], refused: 0 }
    const node = await disk.start()
    disk.rules(...rule.split(', '))
    await writeAll(node, 100, answers)
    disk.rules()
    const met = disk.records().filter(({ op }) => op === 'fault').length
    t.log(`${met} calls met the rule, ${answers.refused} writes were refused`)
    if (!SELDOM.test(rule)) t.true(met > 0, 'no call met the rule')
    await hold(t, node, answers.kept, 'while the node goes on')
    await writeAll(node, 200, answers)
    await node.kill()
    await afterPowerCut(t, disk, answers.kept)
    const killed = await disk.start()
    await hold(t, killed, answers.kept, 'after it was killed')
    answers.refused = 0
    await writeAll(killed, 300, answers)
    t.is(answers.refused, 0, 'a start mends what can be mended')
    t.is(await killed.stop(), 0)
    const again = await disk.start()
    await hold(t, again, answers.kept, 'after a regular stop')
    await again.kill()
  })

/** Calls at which the process dies, and of `npm test`. */
const FEW_DEATHS = ['write db/*.log kill-after after=1', 'rename * kill after=1']
const MANY_DEATHS = [
  ...[
    'write journal/*',
    'write db/*.log',
    'write segments/*',
    'sync journal/*',
    'sync segments/*',
    'rename *',
    'unlink *',
    'write *',
    'sync *'
  ]
].flatMap(call => ['kill', 'kill-after'].flatMap(how => [0, 2, 7].map(after => `${call} ${how} after=${after}`)))

for (const rule of [...FEW_DEATHS, ...(ALL || WANTED !== undefined ? MANY_DEATHS : [])].filter(
  rule => WANTED === undefined || rule.includes(WANTED)
))
  onFaultyDisk(`nothing that was acknowledged is lost: ${rule}`, async (t, disk) => {
    disk.configure(SETTINGS)
    const answers: Answers = { kept: [], refused: 0 }
    const node = await disk.start()
    disk.rules(rule)
    await writeAll(node, 0, answers)
    await node.kill()
    disk.rules()
    t.log(`${answers.kept.length} writes were acknowledged, ${answers.refused} were not`)
    const next = await disk.start()
    await hold(t, next, answers.kept, 'after its death')
    await next.kill()
    await afterPowerCut(t, disk, answers.kept)
  })
