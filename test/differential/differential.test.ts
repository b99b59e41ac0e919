import { spawnSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { hook, type Plugin, plugin } from '../../core/index.ts'
import { serve, testHost } from '../../host/testing.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { bin } from '../helpers/process/daemon.ts'
import { compare, differ, type Node } from './differ.ts'
import { curl } from './request.ts'

const run = fileURLToPath(new URL('run.js', import.meta.url))

/** Says that a block is a byte longer than it is, once something was pinned by `pin/add`. */
function wrong(): Plugin {
  let isPinned = false
  const lie = hook({
    only: ({ path }) => path === 'pin/add' || path === 'block/stat',
    async run(_, { command }, next) {
      const result = await next()
      if (command.path === 'pin/add') isPinned = true
      else if (isPinned && result.kind === 'value') return { ...result, value: { ...(result.value as object), Size: -1 } }
      return result
    }
  })
  return plugin({ name: 'wrong', api: '^1', about: 'Answers wrongly on purpose.', around: [lie] })
}

const node = (plugins: () => readonly Plugin[]) => async (): Promise<Node> => {
  const host = await testHost({ plugins: plugins() })
  const { rpc } = await serve(host)
  return { url: rpc!, stop: () => host.stop() }
}
const right = node(() => [])

test('two nodes that are alike answer alike', async t => {
  t.is(await differ([right, right], { seed: 7, count: 400 }), undefined)
})

test('a node that answers wrongly is found, and the fewest requests that show it', async t => {
  const lying = node(() => [wrong()])
  const found = await differ([lying, right], { seed: 7, count: 2000 })
  const paths = found?.requests.map(({ path }) => path)
  t.deepEqual(found?.differs, ['body'])
  t.deepEqual(paths?.slice(-2), ['pin/add', 'block/stat'])
  t.true(paths!.length <= 4, paths?.map(String).join(' '))
  t.is((found!.answers[0].body as [{ Size: number }])[0].Size, -1)
  t.is((await compare([lying, right], found!.requests))?.requests.length, paths?.length)
  t.is(await compare([right, right], found!.requests), undefined)
})

test('requests are told as a shell takes them', t => {
  const file = Buffer.from('a\n').toString('base64')
  t.is(
    curl({ path: 'block/put', query: [['cid-codec', 'raw']], file }),
    `printf %s '${file}' | base64 -d | curl -sX POST -F file=@- "$api/block/put?cid-codec=raw"`
  )
  t.is(curl({ path: 'cat', query: [['arg', '/ipfs/a b']] }), 'curl -sX POST "$api/cat?arg=%2Fipfs%2Fa%20b"')
})

test('without the program of the reference it is skipped, and says why', t => {
  const skipped = (...args: string[]) => spawnSync(process.execPath, [run, ...args], { encoding: 'utf8' })
  t.like(skipped(), { status: 0, stdout: 'differential: skipped: --reference does not name the program of Kubo 0.28 to compare with\n' })
  t.like(skipped('--reference', '/nowhere'), { status: 1, stderr: 'differential: there is no /nowhere\n' })
  t.is(skipped('--reference', '/nowhere', '--seed', 'x').status, 1)
})

test('a program that is run as the reference is asks the same of both, and one that is none is told', async t => {
  const folder = await temporaryFolder(t)
  const program = async (name: string, daemon: string) => {
    const path = join(folder, name)
    await writeFile(path, `#!/bin/sh\n[ "$1" = daemon ] || exit 0\n${daemon}\n`)
    await chmod(path, 0o755)
    return path
  }
  const same = await program(
    'same',
    `exec '${process.execPath}' '${bin}' --repo "$IPFS_PATH" daemon --init --offline --api /ip4/127.0.0.1/tcp/0 --gateway /ip4/127.0.0.1/tcp/0`
  )
  const alike = spawnSync(process.execPath, [run, '--reference', same, '--seed', '3', '--requests', '60'], { encoding: 'utf8' })
  t.regex(alike.stdout + alike.stderr, /^differential: 60 requests of seed 3 were answered alike\n$/)
  t.is(alike.status, 0)
  const none = spawnSync(process.execPath, [run, '--reference', await program('none', 'exit 1'), '--requests', '1'], { encoding: 'utf8' })
  t.regex(none.stderr, /the program of the reference does not serve its RPC/)
  t.not(none.status, 0)
})
