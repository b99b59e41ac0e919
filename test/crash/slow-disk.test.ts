/** A disk whose writes take as long as it likes: who reads does not wait for who writes. */
import { join } from 'node:path'
import test from 'ava'
import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'
import { uploadOf } from '../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import { Faults, faultyStorage } from './support/faults.ts'

/** Writes wait until the disk is let go on. */
class Held extends Faults {
  #gate: PromiseWithResolvers<void> | undefined
  waiting = 0

  hold(): void {
    this.#gate = Promise.withResolvers()
  }

  letGo(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }

  override async write<T>(what: string, store: 'blocks' | 'keys', write: () => Promise<T>): Promise<T> {
    if (this.#gate !== undefined) {
      this.waiting++
      await this.#gate.promise
    }
    return super.write(what, store, write)
  }
}

async function all(host: NodeHost, path: string, args: readonly string[] = [], options = {}, data?: string): Promise<unknown[]> {
  const reply = await host.call(path, { args, options, body: data === undefined ? undefined : uploadOf([['f', data]]) })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return [reply]
  const lines: unknown[] = []
  for await (const line of reply as AsyncIterable<unknown>) lines.push(line)
  return lines
}

const textOf = (pieces: unknown[]) => Buffer.concat(pieces as Uint8Array[]).toString()

for (const kind of ['quick', 'plain'] as const)
  test(`while no write comes to its end, files, content, pins, names, keys and the configuration are read (${kind})`, async t => {
    const inner = await openRocks(join(await temporaryFolder(t), 'store'))
    const disk = new Held()
    const host = await createHost({
      plugins: [faultyStorage(inner, disk, kind)],
      configuration: { plugins: { 'storage-rocksdb': 'off' } as never },
      repo: { path: undefined, init: {} }
    })
    await host.start()
    t.teardown(async () => {
      disk.letGo()
      await host.stop()
      await inner.storage.close()
    })
    for (const name of ['/read/a', '/read/b', '/moved', '/removed', '/copied'])
      await all(host, 'files/write', [name], { create: true, parents: true }, name)
    await all(host, 'files/mkdir', ['/renamed'])
    const [added] = (await all(host, 'add', [], { pin: true }, 'pinned')) as Array<{ Hash: string }>
    const [loose] = (await all(host, 'add', [], { pin: false }, 'loose')) as Array<{ Hash: string }>

    disk.hold()
    let ended = 0
    const changes = [
      all(host, 'files/write', ['/new/f'], { create: true, parents: true }, 'new'),
      all(host, 'files/write', ['/read/b'], { offset: 7n }, ' and more'),
      all(host, 'files/mv', ['/moved', '/new name']),
      all(host, 'files/cp', ['/copied', '/copy']),
      all(host, 'files/rm', ['/removed']),
      all(host, 'files/mkdir', ['/made']),
      all(host, 'files/chcid', ['/renamed'], { cidVersion: 1 }),
      all(host, 'name/publish', ['/ipfs/bafkqaaa'], { resolve: false, allowOffline: true }),
      all(host, 'pin/add', [loose!.Hash]),
      all(host, 'add', [], { pin: true }, 'another'),
      all(host, 'block/put', [], {}, 'block')
    ].map(change => change.finally(() => ended++))
    for (const change of changes) change.catch(() => {})
    while (disk.waiting === 0) await new Promise(resolve => setImmediate(resolve))

    t.is(textOf(await all(host, 'files/read', ['/read/a'])), '/read/a')
    t.regex(textOf(await all(host, 'files/read', ['/read/b'])), /^\/read\/b/)
    t.is(textOf(await all(host, 'cat', [added!.Hash])), 'pinned')
    t.true(JSON.stringify(await all(host, 'pin/ls', [], { type: 'recursive' })).includes(added!.Hash))
    t.is((await all(host, 'name/resolve')).length, 1)
    t.is((await all(host, 'key/list')).length, 1)
    t.is((await all(host, 'config', ['Bootstrap'])).length, 1)
    t.is(ended, 0, 'nothing is told as done that is not on the disk')

    disk.letGo()
    await t.notThrowsAsync(Promise.all(changes))
    const names = ((await all(host, 'files/ls'))[0] as { Entries: Array<{ Name: string }> }).Entries.map(({ Name }) => Name)
    t.deepEqual(names.sort(), ['copied', 'copy', 'made', 'new', 'new name', 'read', 'renamed'])
    t.is(textOf(await all(host, 'files/read', ['/read/b'])), '/read/b and more')
    t.deepEqual(await all(host, 'name/resolve'), [{ Path: '/ipfs/bafkqaaa' }])
  })
