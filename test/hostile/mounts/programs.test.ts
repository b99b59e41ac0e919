/** Programs that hold a mount while its node lets go of it: they wait, they do not close, or what they wrote cannot be kept. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { upload } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'
import { real, shell } from '../../helpers/process/fuse.ts'

const mounts = () => readFileSync('/proc/self/mounts', 'utf8')

async function mounted(t: ExecutionContext) {
  const folder = await temporaryFolder(t)
  const { host } = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { mount: 'on' } })
  const [ipfsPath, ipnsPath, mfsPath] = ['ipfs', 'ipns', 'tree'].map(name => join(folder, name))
  await Promise.all([ipfsPath!, ipnsPath!, mfsPath!].map(place => mkdir(place)))
  const mount = () => host.call('mount', { options: { ipfsPath, ipnsPath, mfsPath } })
  await mount()
  return { host, mount, folder, ipfs: ipfsPath!, ipns: ipnsPath!, tree: mfsPath! }
}

/** A program of the machine, which says a line when it has what it wants to hold. */
async function holding(t: ExecutionContext, program: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

/** Stands in a folder, and has files of it open. */
const standing = (t: ExecutionContext, script: string, folder: string) =>
  holding(t, 'sh', '-c', `cd "$1"; ${script}; echo held; read _`, 'sh', folder)

/** Writes a file and does not close it. A shell would not do: it closes a copy of what it writes to, and that is a close. */
const writing = (t: ExecutionContext, place: string, isGone: boolean) =>
  holding(t, process.execPath, '-e', WRITING, place, isGone ? 'gone' : '')
const WRITING = `
  const { openSync, unlinkSync, writeSync } = require('fs')
  const [place, isGone] = process.argv.slice(1)
  const file = openSync(place, 'w')
  if (isGone) unlinkSync(place)
  writeSync(file, 'kept')
  console.log('held')
  setInterval(() => {}, 1000)`

real('a node stops while programs stand in its mounts, and have files and directories open', async t => {
  const { host, folder, ipfs, tree } = await mounted(t)
  await host.call('files/write', { args: ['/d/f'], options: { create: true, parents: true }, body: upload('kept') })
  await standing(t, 'exec 3<f; exec 4>>f', join(tree, 'd'))
  await standing(t, ':', ipfs)
  await host.stop()
  t.false(mounts().includes(folder))
})

real('a file that is written after it was removed keeps no mount from ending, and no other file from being kept', async t => {
  const { mount, tree } = await mounted(t)
  await writing(t, join(tree, 'gone'), true)
  await writing(t, join(tree, 'other'), false)
  await mount()
  t.is(await shell('ls "$1"; cat "$1/other"', tree), 'other\nkept')
  t.is(mounts().split(`${tree} `).length, 2)
})

real('who waits for content that nobody has waits no longer than the mount is there, and may leave before', async t => {
  const { host, ipfs, folder } = await mounted(t)
  const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  await t.throwsAsync(shell('timeout 1 cat "$1/$2"', ipfs, missing), { code: 124 as never })
  const waiting = spawn('sh', ['-c', 'echo waits; exec cat "$1/$2"', 'sh', ipfs, missing], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => waiting.kill('SIGKILL'))
  const ended = once(waiting, 'exit')
  await once(waiting.stdout!, 'data')
  await host.stop()
  t.is((await ended)[0], 1)
  t.false(mounts().includes(folder))
})
