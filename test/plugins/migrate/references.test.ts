import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { ClassicLevel } from 'classic-level'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { References } from '../../../core/index.ts'
import { referenceEntry } from '../../../plugins/migrate/kubo/records.ts'
import { readKuboRepo } from '../../../plugins/migrate/kubo/repo.ts'
import { hostOn, migrate, reportOf, unpacked } from './world.ts'

test('references come over and go back, and those that the settings do not allow are told', async t => {
  const { path, folder } = await unpacked(t)
  const bytes = Buffer.from('bytes that stay where they are')
  const { bytes: multihash } = CID.createV1(0x55, await sha256.digest(bytes)).multihash
  const [elsewhere, url] = [Uint8Array.from([0, 1, 1]), Uint8Array.from([0, 1, 2])]
  // a path of the filestore is relative to the folder above the repo
  await writeFile(join(folder, 'film'), bytes)
  const level = new ClassicLevel<string, Uint8Array>(join(path, 'datastore'), { keyEncoding: 'utf8', valueEncoding: 'view' })
  await level.open()
  for (const [key, value] of [
    referenceEntry({ multihash, path: 'film', offset: 0, size: bytes.length }),
    referenceEntry({ multihash: elsewhere, path: '../../etc/hostname', offset: 0, size: 3 }),
    referenceEntry({ multihash: url, path: 'https://example.org/film', offset: 0, size: 3 })
  ])
    await level.put(key, value)
  await level.close()
  const config = JSON.parse(await readFile(join(path, 'config'), 'utf8'))
  await writeFile(join(path, 'config'), JSON.stringify({ ...config, Experimental: { ...config.Experimental, FilestoreEnabled: true } }))

  const repo = join(folder, 'repo')
  const ran = await migrate(repo, path, '--encoding=json')
  t.is(ran.code, 1)
  t.regex(ran.err, /2 things were left behind/)
  const report = reportOf(ran) as { References: number; Left: string[] }
  t.is(report.References, 1)
  t.true(report.Left.some(left => left.includes('etc/hostname')) && report.Left.some(left => left.includes('https://example.org/film')))
  const host = await hostOn(t, repo)
  t.deepEqual(Buffer.from((await host.service(References)!.read(multihash))!), bytes)
  await host.stop()

  const back = join(folder, 'back')
  t.is((await migrate(repo, '--to-kubo', back)).code, 0)
  const { references } = await readKuboRepo(back)
  t.deepEqual(references, [{ multihash, path: 'film', offset: 0, size: bytes.length }])

  // without the plugin nobody can say where they lead
  const configuration = join(folder, 'without.json')
  await writeFile(configuration, JSON.stringify({ plugins: { filestore: 'off' } }))
  const without = await migrate(repo, '--to-kubo', join(folder, 'without'), '--encoding=json', '--config', configuration)
  t.is(without.code, 1)
  t.deepEqual((reportOf(without) as { Left: string[] }).Left, ["the references to files and URLs: the plugin 'filestore' is off"])
})
