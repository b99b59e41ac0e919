/** Topics on the command line, which takes them as text and shows them as text, as the reference's does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { commandLine } from '../helpers/process/command-line.ts'
import { bin } from '../helpers/process/daemon.ts'
import { until } from '../helpers/until.ts'
import { onlineDaemon } from './online-daemon.ts'

/** A program in a shell, that writes arguments byte for byte. */
function shell(script: string, cwd: string) {
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, bin], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { out: () => Buffer.concat(chunks), gone: once(child, 'exit'), interrupt: () => void child.kill('SIGINT') }
}

test('a command line takes topics as text, sends them in multibase, and lists them as text with what does not print escaped', async t => {
  const { daemon, folder, repo } = await onlineDaemon(t, ['--enable-pubsub-experiment'])
  const holdfast = (args: string[], stdin = '') => commandLine(['--repo', repo, ...args], { cwd: folder, stdin })
  const ls = async () => (await holdfast(['pubsub', 'ls'])).out
  const subscribed: Array<ReturnType<typeof commandLine>> = []
  const stop = new AbortController()
  for (const topic of ['news', 'ubmV3cw', 'über\n'])
    subscribed.push(commandLine(['--repo', repo, 'pubsub', 'sub', topic], { cwd: folder, interrupt: stop.signal }))
  await until('all are listened to', async () => (await ls()).split('\n').length === 4)
  t.deepEqual((await ls()).split('\n').sort(), ['', 'news', 'ubmV3cw', 'über\\n'])
  t.is((await holdfast(['pubsub', 'ls', '--encoding', 'json'])).out.includes('"ubmV3cw"'), true)
  t.is((await holdfast(['pubsub', 'pub', 'news', '-'], 'hello')).err, '')
  t.is((await holdfast(['pubsub', 'pub', 'über\n'], 'grüße')).err, '')
  t.deepEqual((await holdfast(['pubsub', 'peers', 'news'])).out, '')
  const direct = await fetch(`${daemon.url}/api/v0/pubsub/peers?arg=news`, { method: 'POST' })
  t.is(((await direct.json()) as { Message: string }).Message, 'URL arg must be multibase encoded: selected encoding not supported')
  stop.abort()
  const outs = (await Promise.all(subscribed)).map(({ out }) => out)
  t.deepEqual(outs, ['hello', '', 'grüße'])
})

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a topic of a command line that is no UTF-8 is sent byte for byte', async t => {
  const { folder, repo } = await onlineDaemon(t, ['--enable-pubsub-experiment'])
  const listening = shell(`exec "$1" "$2" --repo '${repo}' pubsub sub "$(printf 'a\\377b')"`, folder)
  const ls = async () => JSON.parse((await commandLine(['--repo', repo, 'pubsub', 'ls', '--encoding=json'], { cwd: folder })).out)
  await until('it is listened to', async () => (await ls()).Strings !== null)
  t.deepEqual(await ls(), { Strings: [`u${Buffer.from('a\u00ffb', 'latin1').toString('base64url')}`] })
  t.is((await commandLine(['--repo', repo, 'pubsub', 'ls'], { cwd: folder })).out, 'a\\xffb\n')
  await shell(`printf 'x\\376y' | "$1" "$2" --repo '${repo}' pubsub pub "$(printf 'a\\377b')"`, folder).gone
  await until('the message is there', () => listening.out().length === 3)
  t.deepEqual(listening.out(), Buffer.from('x\u00fey', 'latin1'))
  listening.interrupt()
  await listening.gone
})
