import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionContext } from 'ava'
import { itemsOf, upload } from '../../../host/testing.ts'
import { onlineNode } from '../../helpers/online.ts'
import { real, shell } from '../../helpers/process/fuse.ts'
import { until } from '../../helpers/until.ts'

async function mounted(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mount-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const { host } = await onlineNode(t, { on: { mount: 'on' } })
  const [ipfsPath, ipnsPath] = [join(folder, 'ipfs'), join(folder, 'ipns')]
  await Promise.all([mkdir(ipfsPath), mkdir(ipnsPath)])
  const mount = () => host.call('mount', { options: { ipfsPath, ipnsPath } })
  const named = async (name: string, path: string) => {
    const pieces: Uint8Array[] = []
    const { Path } = (await host.call('name/resolve', { args: [name], options: { offline: true } })) as { Path: string }
    for await (const piece of (await host.call('cat', { args: [`${Path}/${path}`] })) as AsyncIterable<Uint8Array>)
      pieces.push(piece.slice())
    return Buffer.concat(pieces).toString()
  }
  const { ID } = (await host.call('id', {})) as { ID: string }
  return { host, ipns: ipnsPath, mount, named, self: ID }
}

const publishTo = async (host: Awaited<ReturnType<typeof mounted>>['host'], file: string, content: string, key = 'self') => {
  const body = upload({ [file]: content })
  const added = await itemsOf<{ Hash: string }>(await host.call('add', { options: { wrapWithDirectory: true }, body }))
  await host.call('name/publish', { args: [`/ipfs/${added.at(-1)!.Hash}`], options: { allowOffline: true, key } })
}

real('a folder of this node’s own name begins as what it leads to, and is published when it is written', async t => {
  const { host, ipns, mount, named, self } = await mounted(t)
  await publishTo(host, 'old.txt', 'old')
  await mount()
  t.regex(await shell('readlink "$1/local"', ipns), /^k51[0-9a-z]+\n$/)
  t.is(await shell('cat "$1/local/old.txt"', ipns), 'old')
  await shell('echo new > "$1/local/new.txt"; mkdir "$1/local/d"; mv "$1/local/old.txt" "$1/local/d/"', ipns)
  await until('the name leads to what was moved', async () => (await named(self, 'd/old.txt').catch(() => '')) === 'old')
  t.is(await named(self, 'new.txt'), 'new\n')
})

real('keys that are there when it is mounted have folders too, and all are listed', async t => {
  const { host, ipns, mount, named } = await mounted(t)
  const { Id } = (await host.call('key/gen', { args: ['site'] })) as { Id: string }
  await mount()
  t.is(await shell('ls "$1"', ipns), 'local\nsite\n')
  await shell('echo page > "$1/site/index.html"', ipns)
  await until('the name of the key leads to the page', async () => (await named(Id, 'index.html').catch(() => '')) === 'page\n')
  t.is(await named(Id, 'index.html'), 'page\n')
  // from one name to the other programs copy
  await shell('mv "$1/site/index.html" "$1/local/index.html"', ipns)
  t.is(await shell('cat "$1/local/index.html"; ls "$1/site"', ipns), 'page\n')
})

real('names are published by nobody else while they are mounted, and are when they are not', async t => {
  const { host, ipns, mount, named, self } = await mounted(t)
  await mount()
  await shell('echo first > "$1/local/a"', ipns)
  await t.throwsAsync(publishTo(host, 'b', 'other'), { message: 'cannot manually publish while IPNS is mounted' })
  await host.call('mount', { options: { ipfsPath: '/nowhere', ipnsPath: '/nowhere else' } }).then(
    () => t.fail(),
    () => {}
  )
  t.is(await named(self, 'a'), 'first\n')
  await publishTo(host, 'b', 'other')
  await mount()
  t.is(await shell('ls "$1/local"; cat "$1/local/b"', ipns), 'b\nother')
})

real('what was written goes on after the node mounts again, and a collection leaves it', async t => {
  const { host, ipns, mount } = await mounted(t)
  await mount()
  await shell('echo kept > "$1/local/a"', ipns)
  await mount()
  await itemsOf(await host.call('repo/gc', {}))
  t.is(await shell('cat "$1/local/a"', ipns), 'kept\n')
})
