import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionContext } from 'ava'
import { upload } from '../../../host/testing.ts'
import { onlineNode } from '../../helpers/online.ts'
import { real, shell } from '../../helpers/process/fuse.ts'

/** @param repo - default: blocks are in memory */
async function mounted(t: ExecutionContext, settings: 'on' | Record<string, unknown> = 'on', repo?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mount-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stored: Record<string, 'on' | 'off'> = repo === undefined ? {} : { 'storage-rocksdb': 'on', 'storage-memory': 'off' }
  const { host } = await onlineNode(t, { on: { mount: settings, ...stored }, ...(repo !== undefined && { repo }) })
  const [ipfs, ipns, mfs] = [join(folder, 'ipfs'), join(folder, 'ipns'), join(folder, 'tree')]
  await Promise.all([mkdir(ipfs), mkdir(ipns), mkdir(mfs)])
  t.deepEqual(await host.call('mount', { options: { ipfsPath: ipfs, ipnsPath: ipns, mfsPath: mfs } }), {
    IPFS: ipfs,
    IPNS: ipns,
    MFS: mfs,
    FuseAllowOther: false
  })
  const read = async (path: string) => {
    const pieces: Uint8Array[] = []
    for await (const piece of (await host.call('files/read', { args: [path] })) as AsyncIterable<Uint8Array>) pieces.push(piece.slice())
    return Buffer.concat(pieces).toString()
  }
  return { host, mfs, read }
}

real('what programs write is in the mutable tree when they have closed it, and the other way round', async t => {
  const { host, mfs, read } = await mounted(t)
  await shell('echo one > "$1/a"; mkdir -p "$1/d/e"; echo two > "$1/d/e/b"; echo three >> "$1/a"', mfs)
  t.is(await read('/a'), 'one\nthree\n')
  t.is(await read('/d/e/b'), 'two\n')
  await host.call('files/write', { args: ['/c'], options: { create: true }, body: upload('from the RPC') })
  t.is(await shell('cat "$1/c"', mfs), 'from the RPC')
  t.is(await shell('ls "$1"', mfs), 'a\nc\nd\n')
  t.regex(await shell('ls -l "$1/a"', mfs), /^-rw-r--r-- .* 10 /)
})

real('files are written at any place, cut and made longer', async t => {
  const { mfs, read } = await mounted(t)
  await shell('printf 0123456789 > "$1/f"; printf ab | dd of="$1/f" bs=1 seek=3 conv=notrunc status=none', mfs)
  t.is(await read('/f'), '012ab56789')
  await shell('truncate -s 4 "$1/f"', mfs)
  t.is(await read('/f'), '012a')
  await shell('truncate -s 6 "$1/f"; printf z >> "$1/f"', mfs)
  t.is(await read('/f'), '012a\0\0z')
  await shell('printf new > "$1/f"', mfs)
  t.is(await read('/f'), 'new')
})

real('what was written and not closed yet is read by who has it open, and seen in its size', async t => {
  const { mfs } = await mounted(t)
  t.is(await shell('exec 3<>"$1/f"; printf written >&3; stat -c %s "$1/f"; cat "$1/f"', mfs), '7\nwritten')
})

real('entries are moved and removed as rename and unlink have it', async t => {
  const { mfs, read } = await mounted(t)
  await shell('mkdir -p "$1/a/x" "$1/b/x"; echo 1 > "$1/a/x/f"; echo 2 > "$1/b/x/f"; mv "$1/a/x/f" "$1/b/x/f"', mfs)
  t.is(await read('/b/x/f'), '1\n')
  t.is(await shell('ls "$1/a/x"', mfs), '')
  await t.throwsAsync(shell('rmdir "$1/b"', mfs), { message: /Directory not empty/ })
  await t.throwsAsync(shell('mv "$1/b" "$1/b/x/"', mfs), { message: /subdirectory of itself|Invalid argument/ })
  await shell('mv -T "$1/b" "$1/a/x"; mkdir "$1/a/x/x/new"; rm -r "$1/a/x/x/new"', mfs)
  t.is(await read('/a/x/x/f'), '1\n')
  await shell('rm -r "$1/a"', mfs)
  t.is(await shell('ls -A "$1"', mfs), '')
})

real('a file that is moved while it is written goes on where it is', async t => {
  const { mfs, read } = await mounted(t)
  await shell('mkdir "$1/d"; exec 3>"$1/f"; printf first >&3; mv "$1/f" "$1/d/g"; printf " second" >&3; exec 3>&-', mfs)
  t.is(await read('/d/g'), 'first second')
  t.is(await shell('ls "$1"', mfs), 'd\n')
})

real('a file that is removed while it is written does not come back', async t => {
  const { mfs } = await mounted(t)
  await shell('exec 3>"$1/f"; printf first >&3; rm "$1/f"; printf second >&3 || true; exec 3>&- || true', mfs)
  t.is(await shell('ls -A "$1"', mfs), '')
})

real('names that are no text, entries that are there and what the tree has not are refused by their numbers', async t => {
  const { mfs } = await mounted(t)
  await t.throwsAsync(shell('echo a > "$1/$(printf "\\377")"', mfs), { message: /Invalid or incomplete multibyte/ })
  await t.throwsAsync(shell('mkdir "$1/d"; mkdir "$1/d"', mfs), { message: /File exists/ })
  await t.throwsAsync(shell('cat "$1/absent"', mfs), { message: /No such file or directory/ })
  await t.throwsAsync(shell('ln -s a "$1/link"', mfs), { message: /Function not implemented|Operation not supported/ })
  await t.throwsAsync(shell('echo a > "$1/d"', mfs), { message: /Is a directory|Directory nonexistent/i })
})

real('1 GiB is copied in and comes back as it was, with bounded memory while it waits', async t => {
  t.timeout(240_000)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mount-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const { host, mfs } = await mounted(t, { maxWaiting: 1 << 20 }, join(folder, 'repo'))
  t.teardown(() => host.stop())
  const size = 1 << 30
  const command = `head -c ${size} /dev/urandom > "$2"; cp "$2" "$1/large"; sha256sum < "$2"; ls -l "$1/large"; sha256sum < "$1/large"`
  const before = process.memoryUsage.rss()
  const [written, listed, read] = (await shell(command, mfs, join(folder, 'random'))).split('\n')
  const grown = (process.memoryUsage.rss() - before) / 2 ** 20
  t.is(read, written)
  t.regex(listed!, new RegExp(`^-rw.* ${size} `))
  t.true(grown < 256, `${grown} MiB`)
  const hash = createHash('sha256')
  for await (const piece of (await host.call('files/read', { args: ['/large'] })) as AsyncIterable<Uint8Array>) hash.update(piece)
  t.is(`${hash.digest('hex')}  -`, written!)
})

real('what a program closed is there after a kill of the node', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mount-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const places = ['ipfs', 'ipns', 'tree'].map(name => join(folder, name))
  await Promise.all(places.map(place => mkdir(place)))
  const daemon = new URL('../../helpers/online.js', import.meta.url).href
  const script = `const { onlineNode } = await import(${JSON.stringify(daemon)})
    const [repo, ipfsPath, ipnsPath, mfsPath] = process.argv.slice(1)
    const { host } = await onlineNode({ teardown() {} }, { repo, on: { mount: 'on', 'storage-rocksdb': 'on', 'storage-memory': 'off' } })
    await host.call('mount', { options: { ipfsPath, ipnsPath, mfsPath } })
    console.log('mounted')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, join(folder, 'repo'), ...places], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise(resolve => child.stdout.once('data', resolve))
  await shell('echo kept > "$1/f"', places[2]!)
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('close', resolve))
  const { host } = await onlineNode(t, {
    repo: join(folder, 'repo'),
    on: { mount: 'on', 'storage-rocksdb': 'on', 'storage-memory': 'off' }
  })
  t.teardown(() => host.stop())
  await host.call('mount', { options: { ipfsPath: places[0]!, ipnsPath: places[1]!, mfsPath: places[2]! } })
  t.is(await shell('cat "$1/f"', places[2]!), 'kept\n')
})
