import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { z } from 'zod'
import { command, hook, plugin, value } from '../../core/index.ts'
import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'
import { testHost } from '../../host/testing.ts'
import { temporaryFolder } from '../helpers/folder.ts'

const ok = value(z.object({ Ok: z.boolean() }))

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const turn = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const hog = command.read('hog', {
  help: 'Block the loop.',
  reply: ok,
  async run() {
    await turn(1)
    block(1700)
    return { Ok: true }
  }
})

const light = command.read('light', { help: 'Be quick.', reply: ok, run: () => ({ Ok: true }) })

async function told(host: NodeHost, act: () => Promise<unknown>): Promise<string[]> {
  const tail = host.logs.tail()
  await host.watch()
  // two beats, as a watch that has just begun
  await turn(600)
  await act()
  await turn(600)
  await host.stop()
  const lines: string[] = []
  for await (const text of tail) lines.push(...text.trim().split('\n'))
  return lines.map(line => JSON.parse(line).msg as string).filter(msg => msg.includes('event loop'))
}

test.serial('a command that blocks the loop is told with its plugin, others that are quick beside it are not', async t => {
  const host = await testHost({ builtIns: false, plugins: [plugin({ name: 'hogs', api: '^1', about: 'Blocks.', commands: [hog, light] })] })
  const lines = await told(host, async () => {
    const long = host.call('hog')
    await turn(0)
    for (let i = 0; i < 5; i++) await host.call('light')
    await long
  })
  t.is(lines.length, 1)
  t.regex(lines[0]!, /^the event loop was blocked for (1\.[2-9]|[2-9]\.\d) s by plugin 'hogs' in 'hog'$/)
})

test.serial('a hook that blocks the loop is told in the stead of the command', async t => {
  const slow = hook({
    async run(_, __, next) {
      await turn(1)
      block(1700)
      return next()
    }
  })
  const host = await testHost({
    builtIns: false,
    plugins: [
      plugin({ name: 'light', api: '^1', about: 'Is quick.', commands: [light] }),
      plugin({ name: 'slow', api: '^1', about: 'Blocks.', around: [slow] })
    ]
  })
  const lines = await told(host, () => host.call('light'))
  t.is(lines.length, 1)
  t.regex(lines[0]!, /by plugin 'slow' in 'light'$/)
})

test.serial('the file, function and line of a plugin of others are told, also outside of any call', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(
    join(folder, 'acme.mjs'),
    `import { plugin, service, token } from '${new URL('../../core/index.js', import.meta.url).href}'
export function squander(ms) { const until = performance.now() + ms; while (performance.now() < until); }
const T = token('acme-t')
export default plugin({ name: 'acme', api: '^1', about: 'Blocks.', internal: [service(T, { make: () => ({ start() { setTimeout(() => squander(1700), 900) } }) })] })
`
  )
  const host = await createHost({ catalogue: [], base: folder, configuration: { plugins: { './acme.mjs': 'on' } } })
  await host.start()
  const lines = await told(host, () => turn(2500))
  t.is(lines.length, 1)
  t.regex(lines[0]!, /^the event loop was blocked for [\d.]+ s by plugin 'acme' \(squander at .*acme\.mjs:2\) outside of any call$/)
})

test.serial('a loop that turns is not told of, nor one whose setting says never', async t => {
  const busy = plugin({ name: 'hogs', api: '^1', about: 'Blocks.', commands: [hog] })
  const quiet = await testHost({ builtIns: false, plugins: [busy] })
  t.deepEqual(await told(quiet, () => turn(1500)), [])
  const never = await testHost({ builtIns: false, plugins: [busy], configuration: { calls: { blockedMs: 0 } } })
  t.deepEqual(await told(never, () => never.call('hog')), [])
})
