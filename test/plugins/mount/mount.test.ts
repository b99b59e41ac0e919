import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'
import { onlineNode } from '../../helpers/online.ts'
import { real, shell } from '../../helpers/process/fuse.ts'

const mounts = () => readFileSync('/proc/self/mounts', 'utf8')

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mount-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

async function mounted<T>(t: ExecutionContext, settings: 'on' | Record<string, unknown> = 'on', before?: (host: NodeHost) => Promise<T>) {
  const folder = await folderOf(t)
  const { host } = await onlineNode(t, { on: { mount: settings } })
  t.teardown(() => host.stop())
  const [ipfs, ipns] = [join(folder, 'content here'), join(folder, 'names')]
  await Promise.all([mkdir(ipfs), mkdir(ipns)])
  const made = await before?.(host)
  t.deepEqual(await host.call('mount', { options: { ipfsPath: ipfs, ipnsPath: ipns } }), { IPFS: ipfs, IPNS: ipns, FuseAllowOther: false })
  return { host, ipfs, ipns, made: made! }
}

async function added(host: NodeHost, files: Record<string, Uint8Array | string>): Promise<string> {
  const items = (await itemsOf(await host.call('add', { options: { wrapWithDirectory: true }, body: upload(files) }))) as Array<{
    Hash: string
  }>
  return items.at(-1)!.Hash
}

test('a node without a network does not mount', async t => {
  const host = await testHost({ configuration: { plugins: { mount: 'on' } } })
  t.teardown(() => host.stop())
  await t.throwsAsync(async () => host.call('mount', {}), {
    message: "this command must be run in online mode. Try running 'ipfs daemon' first"
  })
})

real('files are read as they were added, at any place', async t => {
  const { host, ipfs } = await mounted(t)
  const large = Buffer.alloc(9_000_001, 'all of the bytes, in their order; ')
  const root = await added(host, { 'large.bin': large, 'ä b.txt': 'small\n' })
  t.is(await shell('cat "$1/$2/ä b.txt"', ipfs, root), 'small\n')
  t.is(await shell('ls "$1/$2"', ipfs, root), 'large.bin\nä b.txt\n')
  t.regex(await shell('ls -l "$1/$2/large.bin"', ipfs, root), /^-r--r--r-- .* 9000001 /)
  t.is((await shell('sha256sum < "$1/$2/large.bin"', ipfs, root)).slice(0, 64), await shaOf(large))
  t.is(await shell('tail -c +8000001 "$1/$2/large.bin" | head -c 20', ipfs, root), large.subarray(8_000_000, 8_000_020).toString())
})

real('what is not there, not a name or not to be written is refused', async t => {
  const { host, ipfs } = await mounted(t)
  const root = await added(host, { a: 'a' })
  await t.throwsAsync(shell('cat "$1/$2/b"', ipfs, root), { message: /No such file or directory/ })
  await t.throwsAsync(shell('cat "$1/$2/$(printf "\\377")"', ipfs, root), { message: /No such file or directory/ })
  await t.throwsAsync(shell('cat "$1/.Trash"', ipfs), { message: /No such file or directory/ })
  await t.throwsAsync(shell('ls "$1"', ipfs), { message: /Operation not permitted/ })
  await t.throwsAsync(shell('echo b > "$1/$2/b"', ipfs, root), { message: /Read-only file system/ })
})

real('a name leads to what it was published for', async t => {
  const { ipns, made } = await mounted(t, 'on', async host => {
    const root = await added(host, { 'a.txt': 'named' })
    await host.call('key/gen', { args: ['gone'] })
    const options = { allowOffline: true, key: 'gone' }
    const { Name } = (await host.call('name/publish', { args: [`/ipfs/${root}`], options })) as { Name: string }
    await host.call('key/rm', { args: ['gone'] })
    return Name
  })
  t.is(await shell('cat "$1/$2/a.txt"', ipns, made), 'named')
})

real('a folder with more entries than the limit is not listed, and its files are read', async t => {
  const { host, ipfs } = await mounted(t, { maxEntries: 16 })
  const root = await added(host, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, `${i}`])))
  await t.throwsAsync(shell('ls "$1/$2"', ipfs, root), { message: /Value too large/ })
  t.is(await shell('cat "$1/$2/f19"', ipfs, root), '19')
})

real('mounting again mounts anew, and nothing is left when the node stops', async t => {
  const { host, ipfs, ipns } = await mounted(t)
  const root = await added(host, { a: 'a' })
  await host.call('mount', { options: { ipfsPath: ipfs, ipnsPath: ipns } })
  t.is(await shell('cat "$1/$2/a"', ipfs, root), 'a')
  t.is(mounts().split(ipns).length, 2)
  await host.stop()
  t.false(mounts().includes(ipns))
})

real('where one cannot be mounted, none is', async t => {
  const folder = await folderOf(t)
  const { host } = await onlineNode(t, { on: { mount: 'on' } })
  t.teardown(() => host.stop())
  const options = { ipfsPath: folder, ipnsPath: join(folder, 'absent') }
  await t.throwsAsync(async () => host.call('mount', { options }), { message: /^fuse failed to access mountpoint .*\/absent: ENOENT/ })
  t.false(mounts().includes(folder))
  await t.throwsAsync(async () => host.call('mount', { options: { ipfsPath: folder, ipnsPath: folder } }), {
    message: /two mounts cannot both be on/
  })
})

real('what a killed process left mounted is unmounted by the next', async t => {
  const folder = await folderOf(t)
  const [ipfs, ipns] = [join(folder, 'ipfs'), join(folder, 'ipns')]
  await Promise.all([mkdir(ipfs), mkdir(ipns)])
  const mounting = new URL('../../../plugins/mount/fuse/mounting.js', import.meta.url).href
  const script = `const { mount } = await import(${JSON.stringify(mounting)})
    await mount(process.argv[1], { handle: async () => 5, forget() {}, errorOf: () => 5 }, { allowOther: false, maxRequests: 4 }, console.error)
    console.log('mounted')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ipfs], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise(resolve => child.stdout.once('data', resolve))
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('close', resolve))
  await t.throwsAsync(shell('ls "$1"', ipfs), { message: /not connected/ })
  const { host } = await onlineNode(t, { on: { mount: 'on' } })
  t.teardown(() => host.stop())
  const root = await added(host, { a: 'again' })
  await host.call('mount', { options: { ipfsPath: ipfs, ipnsPath: ipns } })
  t.is(await shell('cat "$1/$2/a"', ipfs, root), 'again')
  t.is(mounts().split(`${ipfs} `).length, 2)
})

async function shaOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
}
