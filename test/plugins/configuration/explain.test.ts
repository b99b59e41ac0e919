import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { nodeConfigModel } from '../../../config/node/index.ts'
import { isKeyBelow, type NodeKeys } from '../../../core/index.ts'
import { HOST_NODE_KEYS } from '../../../host/plugins/node-keys.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { configuredHost } from './host.ts'

interface Line {
  readonly Key: string
  readonly Effect: string
  readonly By: readonly string[]
  readonly Why?: string
}

const known = nodeConfigModel.keys()
const namesOf = ({ atOnce = [], atStart = [] }: NodeKeys): readonly string[] => [...atOnce, ...atStart]
const declared = [HOST_NODE_KEYS, ...catalogue.map(({ nodeKeys = {} }) => nodeKeys)].flatMap(namesOf)

test('each key is read by somebody, or it is said why not, and not both', t => {
  for (const { key, unread } of known) {
    const isRead = declared.some(root => isKeyBelow(key, root))
    t.not(isRead, unread !== undefined, `${key} is ${isRead ? 'read, and said to be read by nobody' : 'read by nobody, without a reason'}`)
  }
})

test('each key that is said to be read is one of the model', t => {
  for (const root of declared)
    t.true(
      known.some(({ key }) => isKeyBelow(key, root)),
      root
    )
})

/** Keys that a source asks the repo for by their whole names. */
const ASKED = /\bget(?:<[^()]*>)?\('((?:[A-Z]\w*)(?:\.\w+)*)'/g

test('the keys that a plugin names in its sources are those that it says it reads', async t => {
  const unsaid: string[] = []
  const unread: string[] = []
  const shared = await sourcesOf('core')
  for (const { name, nodeKeys = {} } of catalogue) {
    const roots = namesOf(nodeKeys)
    const sources = await sourcesOf(join('plugins', name))
    const asked = [...sources.matchAll(ASKED)].map(([, key]) => key!).filter(key => known.some(one => isKeyBelow(one.key, key)))
    unsaid.push(...asked.filter(key => !roots.some(root => isKeyBelow(key, root))).map(key => `${name} ${key}`))
    const isNamed = (root: string) =>
      [`'${root}'`, `'${root}.`, `\`${root}.`, `'${root.slice(root.lastIndexOf('.') + 1)}'`].some(
        text => sources.includes(text) || shared.includes(text)
      )
    unread.push(...roots.filter(root => !isNamed(root)).map(root => `${name} ${root}`))
  }
  t.deepEqual({ unsaid, unread }, { unsaid: [], unread: [] })
})

/** The sources in a folder, but for where it says what it reads. */
async function sourcesOf(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.ts') && file !== 'node-keys.ts')
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))
  return texts.join('\n').replace(/^ {2}nodeKeys: \{.*?\},?$/gms, '')
}

test('config show --explain tells of each key who reads it, and why nobody does', async t => {
  const { host, set, call } = await configuredHost(t)
  await set('Acme.Colour', 'red')
  const lines = new Map<string, Line>()
  for await (const line of (await call('config/show', [], { explain: true })) as AsyncIterable<Line>) lines.set(line.Key, line)

  t.deepEqual([...lines.keys()], [...known.map(({ key }) => key), 'Acme.Colour'])
  t.like(lines.get('Datastore.HashOnRead'), { Effect: 'at start', By: ['blocks'] })
  t.like(lines.get('Datastore.StorageMax'), { Effect: 'at start', By: ['pins', 'repo'] })
  t.like(lines.get('Mounts.IPFS'), { Effect: 'at once', By: ['mount'] })
  t.like(lines.get('API.HTTPHeaders'), { Effect: 'at start', By: ['host'] })
  t.like(lines.get('Datastore.Spec'), { Effect: 'never', By: [] })
  t.regex(lines.get('Datastore.Spec')!.Why!, /storage-rocksdb/)
  t.regex(lines.get('Swarm.AddrFilters')!.Why!, /^plugin network is off \(/)
  t.is(lines.get('Acme.Colour')!.Why, 'no such key is known')
  t.true([...lines.values()].every(({ Effect, Why }) => (Effect === 'never') === (Why !== undefined)))
  t.true(host.nodeKeyReaders().length > 5)
})
