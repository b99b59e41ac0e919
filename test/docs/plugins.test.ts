/** `docs/plugins.md`, done to the letter in a folder of its own. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import test from 'ava'
import { type Daemon, launchDaemon } from '../helpers/process/daemon.ts'
import { packedProject, root } from '../helpers/process/packed.ts'

interface Block {
  /** What stands behind the fence: `ts`, `sh install`. */
  readonly info: string
  readonly text: string
  readonly line: number
}

/** The code blocks of a page, in order. */
function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  for (const { 1: info = '', 2: text = '', index } of page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm))
    blocks.push({ info, text, line: page.slice(0, index).split('\n').length })
  return blocks
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

test('every block of the guide does what it says', async t => {
  const project = await packedProject()
  t.teardown(() => project.remove())
  const page = (await readFile(join(root, 'docs', 'plugins.md'), 'utf8')).replaceAll('8090', String(await freePort()))
  await writeFile(join(project.folder, 'package.json'), '{ "type": "module" }')
  const sources = new Set<string>()
  let daemon: Daemon | undefined
  /** Where the blocks about the running node end. */
  let endOfDaemon = -1
  const blocks = blocksOf(page)
  for (const [i, { info, text, line }] of blocks.entries()) {
    const [kind, how = ''] = info.split(' ')
    if (i === endOfDaemon) t.is(await daemon!.stop(), 0)
    const file = /^(?:\/\/|#) (\S+)\n/.exec(text)?.[1]
    if (kind === 'ts' || kind === 'yaml' || kind === 'json') {
      t.truthy(file, `the block in line ${line} names no file`)
      await mkdir(dirname(join(project.folder, file!)), { recursive: true })
      await writeFile(join(project.folder, file!), text)
      if (kind === 'ts') sources.add(file!)
    } else if (how === 'daemon') {
      const launched = launchDaemon(join(project.folder, 'data'), { bin: project.holdfast })
      t.teardown(() => launched.kill())
      daemon = await launched.ready
      endOfDaemon = i + 2
    } else if (how === 'install') {
      const folder = /^npm install \.\/(\S+)$/m.exec(text)?.[1]
      if (folder !== undefined) await project.install(join(project.folder, folder))
    } else if (kind === 'sh') {
      const next = blocks[i + 1]
      const script = daemon === undefined ? text : text.replaceAll('http://127.0.0.1:5001', daemon.url)
      const printed = await project.run('bash', ['-ec', `exec 2>&1\n${script}`], join(project.folder, how.replace('in=', '')))
      if (next?.info === 'text') t.is(printed.replace(/^\(node:.*\n/gm, ''), next.text, `what the block in line ${line} prints`)
    }
  }
  t.is(await project.run('tsc', []), '')
  t.true(sources.size > 5)
})

test('the README leads to the guide', async t => {
  t.true((await readFile(join(root, 'README.md'), 'utf8')).includes('(docs/plugins.md)'))
})
