/** The way back: repos of holdfast's as repos of Kubo's. */
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { ClassicLevel } from 'classic-level'
import { KUBO_LAYOUT } from '../../../core/index.ts'
import { forKubo } from '../../../plugins/migrate/hand/config.ts'
import { type KuboRepo, readKuboRepo } from '../../../plugins/migrate/kubo/repo.ts'
import { hostOn, migrate, RELEASES, reportOf, snapshot, unpacked } from './world.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** All of a repo but its path, its version and its configuration. */
function contentOf({ identity, keys, pins, root, published, known }: KuboRepo) {
  return {
    peer: identity.peerId,
    keys: [...keys].map(([name, { privateKey }]) => [name, hex(privateKey)]),
    pins: pins.map(({ cid, mode, name }) => `${cid} ${mode} ${name}`).sort(),
    root: String(root),
    published: published.map(({ multihash, record }) => `${hex(multihash)} ${hex(record)}`).sort(),
    known: known.map(({ multihash, record }) => `${hex(multihash)} ${hex(record)}`).sort()
  }
}

for (const release of RELEASES) {
  test(`what came from Kubo ${release} goes back to the byte`, async t => {
    const { path, folder, told } = await unpacked(t, release)
    const [repo, back] = [join(folder, 'repo'), join(folder, 'back')]
    await migrate(repo, path)
    const ran = await migrate(repo, '--to-kubo', back)
    t.is(ran.code, 0, ran.err)
    t.deepEqual(contentOf(await readKuboRepo(back)), contentOf(await readKuboRepo(path)))
    t.is(await readFile(join(back, 'version'), 'utf8'), '15\n')
    t.deepEqual(JSON.parse(await readFile(join(back, 'datastore_spec'), 'utf8')), KUBO_LAYOUT)
    const blocks = async (of: string) => {
      const files = await snapshot(join(of, 'blocks'))
      return Object.fromEntries(
        Object.entries(files).flatMap(([name, about]) => (name.endsWith('.data') ? [[name, about.split(' ')[2]]] : []))
      )
    }
    const [written, before] = [await blocks(back), await blocks(path)]
    for (const [name, sum] of Object.entries(before)) t.is(written[name], sum)
    t.is(Object.keys(written).length, told.blocks.length)
    t.is((await stat(join(back, 'config'))).mode & 0o777, 0o600)
    t.is((await stat(join(back, 'keystore', 'key_mzuxe43u'))).mode & 0o777, 0o400)
    const again = await migrate(join(folder, 'again'), back)
    t.is(again.code, 0, again.err)
  })
}

test('LevelDB has the pins where Kubo looks for them', async t => {
  const { path, folder, told } = await unpacked(t)
  const [repo, back] = [join(folder, 'repo'), join(folder, 'back')]
  await migrate(repo, path)
  await migrate(repo, '--to-kubo', back)
  const entriesOf = async (from: string) => {
    const copy = join(folder, `level-${from.length}`)
    await cp(join(from, 'datastore'), copy, { recursive: true })
    const level = new ClassicLevel<string, Uint8Array>(copy, { keyEncoding: 'utf8', valueEncoding: 'view', createIfMissing: false })
    await level.open()
    const entries: string[] = []
    // ids of pins are made at random
    for await (const [key, value] of level.iterator()) {
      const isOfPin = key.startsWith('/pins/pin/') || key.startsWith('/pins/index/')
      entries.push(`${isOfPin ? key.slice(0, key.lastIndexOf('/')) : key} ${isOfPin || !key.startsWith('/F5') ? hex(value) : ''}`)
    }
    await level.close()
    return entries.sort()
  }
  const entries = await entriesOf(back)
  t.deepEqual(entries, await entriesOf(path))
  t.true(entries.length > 2 * told.pins.length)
})

test('a folder that is not empty, or has a repo, is left alone; one that was left unfinished is gone on with', async t => {
  const { path, folder, told } = await unpacked(t)
  const [repo, back] = [join(folder, 'repo'), join(folder, 'back')]
  await migrate(repo, path)
  t.regex((await migrate(repo, '--to-kubo', path)).err, /cannot become a repo of Kubo: there is a repo already/)
  t.regex((await migrate(repo, '--to-kubo', repo)).err, /there is a repo already/)
  await mkdir(back)
  await writeFile(join(back, 'notes'), 'mine')
  t.regex((await migrate(repo, '--to-kubo', back)).err, /it is not empty/)
  await rm(join(back, 'notes'))
  await writeFile(join(back, 'holdfast-unfinished'), 'another peer')
  t.regex((await migrate(repo, '--to-kubo', back)).err, /it is being made for the peer another peer/)
  await rm(join(back, 'holdfast-unfinished'))
  t.is((await migrate(repo, '--to-kubo', back)).code, 0)
  // as a run leaves it that was killed before its end
  await rm(join(back, 'config'))
  await rm(join(back, 'blocks', '23'), { recursive: true })
  await writeFile(join(back, 'holdfast-unfinished'), told.peerId)
  await t.throwsAsync(readKuboRepo(back), { code: 'E_KUBO_ABSENT' })
  const ran = await migrate(repo, '--to-kubo', back, '--encoding=json')
  t.is(ran.code, 0, ran.err)
  t.like(reportOf(ran), { Blocks: { Copied: 1, There: told.blocks.length - 1 } })
  t.deepEqual(contentOf(await readKuboRepo(back)), contentOf(await readKuboRepo(path)))
})

test('a block that is damaged here ends the way back before there is a repo', async t => {
  const { path, folder } = await unpacked(t)
  const [repo, back] = [join(folder, 'repo'), join(folder, 'back')]
  await migrate(repo, path)
  const name = Object.keys(await snapshot(join(repo, 'blocks'))).find(file => file.endsWith('.data'))!
  const file = join(repo, 'blocks', name)
  const bytes = await readFile(file)
  bytes[0]! ^= 1
  await rm(file)
  await writeFile(file, bytes)
  t.regex((await migrate(repo, '--to-kubo', back)).err, /1 block is damaged.*its bytes have another hash/)
  await t.throwsAsync(readKuboRepo(back), { code: 'E_KUBO_ABSENT' })
  t.is((await migrate(repo, '--to-kubo', back, '--skip-damaged')).code, 0)
})

test('secrets of callers that may do less here than Kubo would let them do stay here', t => {
  const kubo = { AuthSecret: 'bearer:a', AllowedPaths: ['/api/v0'] }
  const config = {
    API: { Authorizations: { kubo, less: { ...kubo, Access: 'read' }, ours: { SecretHash: 'sha256:00' } } },
    Datastore: { StorageMax: '1GB' }
  }
  const usual = { Datastore: { Spec: { type: 'mount' } } }
  const { config: made, changes } = forKubo(config, usual, one => JSON.stringify(one))
  t.deepEqual(made, { API: { Authorizations: { kubo } }, Datastore: { StorageMax: '1GB', Spec: { type: 'mount' } } })
  t.is(changes.length, 2)
  t.deepEqual(Object.keys(config.API.Authorizations), ['kubo', 'less', 'ours'])
})

test('a node that works on the repo keeps it to itself', async t => {
  const { path, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  await hostOn(t, repo)
  for (const words of [['--to-kubo', join(folder, 'back')], [path]]) t.is((await migrate(repo, ...words)).code, 1)
  await t.throwsAsync(stat(join(folder, 'back')))
})
