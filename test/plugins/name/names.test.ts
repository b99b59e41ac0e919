import test from 'ava'
import { hasCode, PathResolver } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf } from '../../../host/testing.ts'
import { fixedNames } from '../../../plugins/name/resolve/fixed.ts'
import { linesOf } from '../../helpers/log.ts'
import { until } from '../../helpers/until.ts'
import { EMPTY_FOLDER, folderIn, keysOf, namesOf, nodeWith, Shelf } from './helpers.ts'

const NEVER = 'k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0'

interface Published {
  Name: string
  Value: string
}

async function publish(host: NodeHost, path: string, options: Record<string, unknown> = {}): Promise<Published> {
  return (await host.call('name/publish', { args: [path], options: { allowOffline: true, ...options } })) as Published
}

async function resolve(host: NodeHost, name?: string, options: Record<string, unknown> = {}): Promise<string> {
  return ((await host.call('name/resolve', { args: name === undefined ? [] : [name], options })) as { Path: string }).Path
}

async function bytesOf(reply: unknown): Promise<string> {
  const pieces: Uint8Array[] = []
  const source = (reply as { bytes?: AsyncIterable<Uint8Array> }).bytes ?? (reply as AsyncIterable<Uint8Array>)
  for await (const piece of source) pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces).toString()
}

test('a new node has a name that leads to the empty folder, and another once it is published', async t => {
  const host = await nodeWith(t)
  t.is(await resolve(host), EMPTY_FOLDER)
  const folder = await folderIn(host, 'mine')
  const { Name, Value } = await publish(host, folder)
  t.is(Value, `/ipfs/${folder}`)
  t.is(await resolve(host), Value)
  t.is(await resolve(host, `/ipns/${Name}/a`), `${Value}/a`)
})

test('what is published without a route is told in the log, with who can see it', async t => {
  const host = await nodeWith(t)
  const lines = linesOf(host, 'name')
  const { Name } = await publish(host, EMPTY_FOLDER)
  const lease = namesOf(host).addRoute(new Shelf().route())
  await publish(host, EMPTY_FOLDER)
  lease.release()
  await until('a line of the log', () => lines.length > 0)
  t.is(lines.length, 1)
  t.true(lines[0]!.includes(`${Name} was published where this node alone sees it`))
})

test('every command that takes a path takes one that starts at a name', async t => {
  const host = await nodeWith(t)
  const folder = await folderIn(host, 'content\n')
  await keysOf(host).generate('site')
  const { Name } = await publish(host, `/ipfs/${folder}`, { key: 'site' })
  const name = `/ipns/${Name}`
  const call = (path: string, args: string[], options = {}) => host.call(path, { args, options })
  t.is(await bytesOf(await call('cat', [`${name}/a`])), 'content\n')
  t.true((await bytesOf(await call('get', [name]))).includes('content\n'))
  t.like(await call('ls', [name]), { Objects: [{ Hash: name, Links: [{ Name: 'a' }] }] })
  t.like(await call('resolve', [`${name}/a`]), { Path: await resolvedFile(host, folder) })
  t.deepEqual(await call('pin/add', [name]), { Pins: [folder] })
  t.like(await call('dag/resolve', [name]), { Cid: { '/': folder } })
  t.is((await itemsOf<{ Ref: string }>(await call('refs', [name]))).length, 1)
  t.like(await call('block/stat', [`${name}/a`]), { Size: 16 })
  t.truthy(await call('dag/get', [name]))
  t.truthy(await itemsOf(await call('dag/stat', [name], { progress: false })))
})

async function resolvedFile(host: NodeHost, folder: string): Promise<string> {
  const { cid } = await host.service(PathResolver)!.resolve(`/ipfs/${folder}/a`)
  return `/ipfs/${cid}`
}

test('the name of a key goes on leading where it led when the key is renamed or removed, and nobody can publish it any more', async t => {
  const host = await nodeWith(t)
  const keys = keysOf(host)
  await keys.generate('before')
  const { Name, Value } = await publish(host, EMPTY_FOLDER, { key: 'before' })
  await keys.rename('before', 'after')
  t.is(await resolve(host, Name), Value)
  t.like(await publish(host, EMPTY_FOLDER, { key: 'after' }), { Name })
  t.true(hasCode(await t.throwsAsync(publish(host, EMPTY_FOLDER, { key: 'before' })), 'E_NAME_KEY'))
  await keys.remove('after')
  t.is(await resolve(host, Name), Value)
  t.true(hasCode(await t.throwsAsync(publish(host, EMPTY_FOLDER, { key: Name })), 'E_NAME_KEY_ID'))
})

test('a key is named by its name or by its ID in any form, with or without /ipns/', async t => {
  const host = await nodeWith(t)
  const { peerId } = await keysOf(host).generate('one')
  const { Name } = await publish(host, EMPTY_FOLDER, { key: 'one' })
  for (const key of [peerId, Name, `/ipns/${Name}`]) t.is((await publish(host, EMPTY_FOLDER, { key })).Name, Name)
})

test('the sequence number rises with every other path and stays with the same one, also when many publish at once', async t => {
  const names = namesOf(await nodeWith(t))
  const paths = Array.from({ length: 20 }, (_, i) => `${EMPTY_FOLDER}/${i}`)
  const published = await Promise.all(paths.map(path => names.publish(path, { allowOffline: true })))
  t.deepEqual(
    published.map(({ sequence }) => sequence).sort((a, b) => Number(a - b)),
    Array.from({ length: 20 }, (_, i) => BigInt(i + 1))
  )
  const last = published.find(({ sequence }) => sequence === 20n)!
  t.is((await names.resolve(`/ipns/${last.name}`)).path, last.path)
  t.is((await names.publish(last.path, { allowOffline: true })).sequence, 20n)
})

test('without other nodes a name is published only by who says that this is enough', async t => {
  const host = await nodeWith(t)
  t.is(
    (await t.throwsAsync(host.call('name/publish', { args: [EMPTY_FOLDER] })))?.message,
    "can't publish while offline: pass `--allow-offline` to override"
  )
})

test('a value that would make a record too large is refused, and the name leads where it led', async t => {
  const host = await nodeWith(t)
  const error = await t.throwsAsync(publish(host, `${EMPTY_FOLDER}/${'x'.repeat(9_000)}`, { resolve: false }))
  t.true(hasCode(error, 'E_RECORD_SIZE'))
  t.is(await resolve(host), EMPTY_FOLDER)
})

test('what has ended is no answer', async t => {
  const host = await nodeWith(t)
  await keysOf(host).generate('brief')
  const { Name } = await publish(host, EMPTY_FOLDER, { key: 'brief', lifetime: '1ms' })
  const saying = () => resolve(host, Name).catch((error: Error) => error.message)
  await until('it has ended', async () => (await saying()) === 'could not resolve name')
  t.like(await publish(host, EMPTY_FOLDER, { key: 'brief' }), { Name })
  t.is(await resolve(host, Name), EMPTY_FOLDER)
})

test('a domain leads where its TXT record says, through names of keys as well', async t => {
  const domain = '_dnslink.own.example.'
  const texts: Record<string, string[]> = {
    '_dnslink.site.example.': ['v=spf1', `dnslink=${EMPTY_FOLDER}`],
    '_dnslink.bare.example.': [EMPTY_FOLDER.slice('/ipfs/'.length)],
    '_dnslink.other.example.': ['dnslink=/ipns/site.example/x'],
    '_dnslink.two.example.': [`dnslink=${EMPTY_FOLDER}`, 'dnslink=/ipfs/bafkqaaa'],
    '_dnslink.text.example.': ['dnslink=hello', 'dnslink=/ipld/bafkqaaa'],
    '_dnslink.loop.example.': ['dnslink=/ipns/loop.example']
  }
  const host = await nodeWith(t, { texts })
  texts[domain] = [`dnslink=/ipns/${(await publish(host, `${EMPTY_FOLDER}/of-a-key`, { resolve: false })).Name}`]
  t.is(await resolve(host, 'site.example'), EMPTY_FOLDER)
  t.is(await resolve(host, 'site.example.'), EMPTY_FOLDER)
  t.is(await resolve(host, 'bare.example'), EMPTY_FOLDER)
  t.is(await resolve(host, '/ipns/other.example/y'), `${EMPTY_FOLDER}/x/y`)
  t.is(await resolve(host, 'other.example', { recursive: false }), '/ipns/site.example/x')
  t.is(await resolve(host, 'own.example'), `${EMPTY_FOLDER}/of-a-key`)
  t.is((await t.throwsAsync(resolve(host, 'loop.example')))?.message, 'could not resolve name (recursion limit exceeded)')
  t.regex((await t.throwsAsync(resolve(host, 'two.example')))?.message ?? '', /^DNSLink lookup for "two.example." failed: .*more than one/)
  for (const name of ['none.example', 'text.example'])
    t.regex((await t.throwsAsync(resolve(host, name)))?.message ?? '', /could not find a TXT record/, name)
})

test('a text that is neither a name nor a domain is told so, and a CID of content what it would have to be', async t => {
  const host = await nodeWith(t)
  const long = 'x'.repeat(64)
  t.is((await t.throwsAsync(resolve(host, long)))?.message, `cannot resolve: "/ipns/${long}"`)
  const cid = 'zBunRGrmCGokA1oMESGGTfrtcMFsVA8aEtcNzM54akPWXF97uXCqTjF3GZ9v8YzxHrG66J8QhtPFWwZebRZ2zeUEELu67'
  t.regex((await t.throwsAsync(resolve(host, cid)))?.message ?? '', /libp2p-key multicodec: retry with \/ipns\/bafz/)
})

test('fixed names come before records and domains, those of the environment before those of the setting', async t => {
  const host = await nodeWith(t, { settings: { fixed: { 'docs.example': '/ipfs/bafkqaaa', [NEVER]: '/ipns/docs.example/x' } } })
  t.is(await resolve(host, 'docs.example'), '/ipfs/bafkqaaa')
  t.is(await resolve(host, NEVER), '/ipfs/bafkqaaa/x')
  const both = fixedNames({ a: '/ipfs/bafkqaaa' }, `a:${EMPTY_FOLDER}, b:/ipns/c ,`)
  t.deepEqual(
    [...both],
    [
      ['a', EMPTY_FOLDER],
      ['b', '/ipns/c']
    ]
  )
  t.regex(
    t.throws(() => fixedNames({}, 'a=/ipfs/bafkqaaa'))?.message ?? '',
    /^IPFS_NS_MAP: the name 'a=\/ipfs\/bafkqaaa' cannot lead there/
  )
  t.regex(
    t.throws(() => fixedNames({ a: 'b' }, undefined))?.message ?? '',
    /^plugins.name.fixed: the name 'a' cannot lead there: invalid path/
  )
})

test('answers are sent as they are found, none for a name that nobody knows', async t => {
  const host = await nodeWith(t)
  const { Name, Value } = await publish(host, EMPTY_FOLDER)
  t.deepEqual(await itemsOf(await host.call('name/resolve', { args: [Name], options: { stream: true } })), [{ Path: Value }])
  t.deepEqual(await itemsOf(await host.call('name/resolve', { args: [NEVER], options: { stream: true } })), [])
})
