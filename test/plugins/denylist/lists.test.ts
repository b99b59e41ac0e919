/** The files of a denylist, as they are found, read and followed. */
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { PluginResources } from '../../../host/plugins/resources.ts'
import { Lists } from '../../../plugins/denylist/load.ts'
import { FileDenylist } from '../../../plugins/denylist/service.ts'
import { until } from '../../helpers/until.ts'

const CID = 'QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK'

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-denylist-'))
  t.teardown(() => rm(path, { recursive: true }))
  return path
}

/** A log that keeps what is told from `warn` on. */
function logger() {
  const told: string[] = []
  const keep = (level: string) => (text: unknown) => void told.push(`${level}: ${text}`)
  const quiet = () => {}
  return { told, trace: quiet, debug: quiet, info: quiet, warn: keep('warn'), error: keep('error'), fatal: keep('fatal') }
}

/** The lists of these files, not read yet. */
function listsOf(t: ExecutionContext, files: readonly string[], waits?: { still: number; cut: number; most: number }) {
  const log = logger()
  const resources = new PluginResources(log)
  t.teardown(() => resources.stop())
  const denylist = new FileDenylist({
    settings: { files: [...files], calls: false, maxRules: 100_000 },
    resources,
    log,
    ...(waits && { waits })
  })
  const denies = (name: string) => denylist.ofPath({ namespace: 'ipns', name, segments: [] }) !== undefined
  const start = (progress = () => {}) => denylist.start(resources.signal, progress)
  return { start, denies, told: log.told }
}

test('among the lists of a folder what is no file is passed over with a word, and what is hidden without one, also while the node runs', async t => {
  const path = await folder(t)
  const own = join(path, 'own.deny')
  await writeFile(own, '/ipns/one.example\n')
  await mkdir(join(path, 'folder.deny'))
  // as an editor locks a file
  await symlink('nobody@nowhere', join(path, '.#own.deny'))
  await writeFile(join(path, '.own.deny'), 'nonsense\n')
  const { start, denies, told } = listsOf(t, [path])
  await start()
  t.true(denies('one.example'))
  t.deepEqual(told, [`warn: denylist ${join(path, 'folder.deny')}: passed over, as it is no regular file`])
  execFileSync('mkfifo', [join(path, 'a-pipe.deny')])
  await appendFile(own, '/ipns/two.example\n')
  await until('the file is followed', () => denies('two.example'))
  t.true(told.includes(`warn: denylist ${join(path, 'a-pipe.deny')}: passed over, as it is no regular file`), told.join('\n'))
  t.false(
    told.some(text => text.startsWith('error')),
    told.join('\n')
  )
})

test('a list whose header is empty, or a remark, is read', async t => {
  const path = await folder(t)
  for (const [i, header] of ['', '\n', '# nothing\n  # here\n'].entries()) {
    const list = join(path, `${i}.deny`)
    await writeFile(list, `${header}---\n/ipns/one.example\n`)
    const { start, denies, told } = listsOf(t, [list])
    await start()
    t.true(denies('one.example'), JSON.stringify(header))
    t.deepEqual(told, [])
  }
})

test('a pipe or a device that is named as a list is refused by its path', async t => {
  const pipe = join(await folder(t), 'pipe.deny')
  execFileSync('mkfifo', [pipe])
  for (const path of [pipe, '/dev/zero']) {
    const refused = { code: 'E_DENYLIST_FILE', message: `denylist ${path}: it is no regular file` }
    await t.throwsAsync(listsOf(t, [path]).start(), refused)
    await t.throwsAsync(new Lists().read(path, { most: 10, log: logger() }), refused)
  }
})

test('what a list denies is denied all the while that it is written anew in its place, until nothing was written for a while', async t => {
  const list = join(await folder(t), 'own.deny')
  await writeFile(list, '/ipns/one.example\n')
  const { start, denies, told } = listsOf(t, [list], { still: 1500, cut: 1500, most: 30_000 })
  await start()
  const file = await open(list, 'r+')
  t.teardown(() => file.close())
  await file.truncate()
  for (let i = 0; i < 30; i++) {
    await delay(100)
    t.true(denies('one.example'), `before piece ${i}`)
    await file.write(`# ${'a'.repeat(2045)}\n`)
  }
  await file.write('/ipns/two.example\n')
  await until('the file is followed', () => denies('two.example'))
  t.false(denies('one.example'))
  t.deepEqual(told, [])
})

test('a list that was cut off has longer to be written again, as by who has to fetch what comes next', async t => {
  const list = join(await folder(t), 'own.deny')
  await writeFile(list, '/ipns/one.example\n')
  const { start, denies } = listsOf(t, [list], { still: 100, cut: 8000, most: 60_000 })
  await start()
  await writeFile(list, '')
  for (let i = 0; i < 10; i++) {
    await delay(100)
    t.true(denies('one.example'), `after ${i + 1} waits`)
  }
  await writeFile(list, '/ipns/two.example\n/ipns/one.example\n')
  await until('the file is followed', () => denies('two.example'))
  t.true(denies('one.example'))
})

test('a list that is added to all the time is read nevertheless, and one that is shorter than it was is not', async t => {
  const list = join(await folder(t), 'own.deny')
  const line = `# ${'a'.repeat(100)}\n`
  await writeFile(list, `/ipns/one.example\n${line.repeat(500)}`)
  const { start, denies } = listsOf(t, [list], { still: 500, cut: 1500, most: 700 })
  await start()
  await appendFile(list, '/ipns/two.example\n')
  await until('it is read', async () => {
    await appendFile(list, line)
    return denies('two.example')
  })
  await writeFile(list, '/ipns/three.example\n')
  const end = performance.now() + 2500
  while (performance.now() < end) {
    await appendFile(list, '\n')
    t.true(denies('one.example'))
    await delay(20)
  }
  await until('it is read', () => denies('three.example'))
  t.false(denies('one.example'))
})

const UNREADABLE: ReadonlyArray<readonly [what: string, content: string | Buffer, why: RegExp]> = [
  ['UTF-16', Buffer.from(`\uFEFF/ipfs/${CID}\n`, 'utf16le'), /: line 1 has a NUL byte/],
  ['NUL bytes behind rules', `/ipfs/${CID}\n/ipfs/${CID}/a\n\0\0\0`, /: line 3 has a NUL byte/],
  ['gzip', gzipSync(`/ipfs/${CID}\n`), /: line 1 has a NUL byte/],
  ['lines that end as on an old Mac', `/ipfs/${CID}\r/ipfs/${CID}/a\r`, /: no line of it is a rule; line 1: a carriage return/],
  ['the same behind a comment', `# all\r/ipfs/${CID}\r`, /: no line of it is a rule; line 1: a carriage return/],
  ['a comment behind a rule', `\n/ipfs/${CID}/a.txt # abuse\n`, /: no line of it is a rule; line 2: '#' is no hint/],
  ['bare CIDs', `name: some\n---\n# these\n${CID}\n${CID}\n`, new RegExp(`: no line of it is a rule; line 4: '${CID}' is no rule`)],
  ['a long line', 'a'.repeat(1 << 20), /^.{100,700}$/]
]

for (const [what, content, why] of UNREADABLE) {
  test(`a list that is no text, or none of whose lines is a rule, keeps the node from starting, with its path and a line: ${what}`, async t => {
    const list = join(await folder(t), 'own.deny')
    await writeFile(list, content)
    const error = await t.throwsAsync(listsOf(t, [list]).start(), { code: 'E_DENYLIST_FILE', message: why })
    t.true(error.message.startsWith(`denylist ${list}: `))
  })
}

test('a list of comments alone, and one with nothing in it, deny nothing', async t => {
  const path = await folder(t)
  await writeFile(join(path, 'a.deny'), '')
  await writeFile(join(path, 'b.deny'), '# nothing\r\n\r\n')
  await writeFile(join(path, 'c.deny'), 'name: c\n---\n')
  const { start, told } = listsOf(t, [path])
  await start()
  t.deepEqual(told, [])
})

test('lines that are no rules are told once for a file, as an error, with how many there are and the first of them', async t => {
  const list = join(await folder(t), 'own.deny')
  await writeFile(list, `/ipns/one.example\n${'nonsense\n'.repeat(20)}/ipns/two.example\n`)
  const { start, denies, told } = listsOf(t, [list])
  await start()
  t.true(denies('one.example') && denies('two.example'))
  t.deepEqual(told, [
    `error: denylist ${list}: lines that are no rules were left out, 20 of them; the first is line 2: 'nonsense' is no rule: those start with /ipfs/CID, /ipns/NAME or //`
  ])
})

test('a start that reads a long list tells of its progress all the while', async t => {
  const list = join(await folder(t), 'own.deny')
  await writeFile(list, Array.from({ length: 20_000 }, (_, i) => `/ipns/site-${i}.example/${'a'.repeat(30)}\n`).join(''))
  let told = 0
  await listsOf(t, [list]).start(() => void told++)
  t.true(told >= 10, `${told} times for a megabyte`)
})

test('rules are told by their lines, and no more than the setting allows are held', async t => {
  const path = await folder(t)
  const [first, second] = [join(path, 'a.deny'), join(path, 'b.deny')]
  await writeFile(first, 'name: first\n---\n# nothing\n/ipns/one.example')
  await writeFile(second, '/ipns/two.example\r\n/ipns/one.example\r\n')
  const lists = new Lists()
  const how = { most: 10, log: logger() }
  await lists.read(first, how)
  const of = (name: string) => lists.placeOf(lists.rules.ofPath({ namespace: 'ipns', name, segments: [] })!)
  t.is(of('one.example'), `${first}:4`)
  await lists.read(second, how)
  t.is(of('one.example'), `${second}:2`)
  t.is(of('two.example'), `${second}:1`)
  await t.throwsAsync(new Lists().read(second, { ...how, most: 1 }), { code: 'E_DENYLIST_RULES' })
  await writeFile(first, `/ipns/one.example/${'a'.repeat(3 << 20)}\n`)
  await t.throwsAsync(new Lists().read(first, how), { code: 'E_DENYLIST_FILE', message: /line 1 has more than 2097152 bytes/ })
})
