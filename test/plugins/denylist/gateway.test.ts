import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Denylist, ready, TxtResolver } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { until } from '../../helpers/until.ts'
import { type Asked, world } from '../gateway/world.ts'

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-denylist-'))
  t.teardown(() => rm(path, { recursive: true }))
  return path
}

const FILES = { 'a.txt': 'a', 'b.txt': 'b', 'docs/inner.txt': 'inner', 'docs/other.txt': 'other' }
const SITE = 'site.example'

/** A node that denies nothing yet, with a site that a domain leads to. */
async function siteWith(t: ExecutionContext, calls = false) {
  const path = await folder(t)
  const list = join(path, 'own.deny')
  await writeFile(list, '')
  const fixed: Record<string, string> = {}
  const plain = await world(t)
  const { root, cids } = await plain.add(FILES)
  fixed[SITE] = `/ipfs/${root}`
  fixed['alias.example'] = `/ipns/${SITE}`
  const at = await world(t, { others: { denylist: { files: [path], calls }, name: { dns: 'none', fixed } } })
  await at.add(FILES)
  return { at, list, root, cids, folder: path }
}

test('what is denied is 410 in each form, by path, host, name and DNSLink, from the moment that a file says so', async t => {
  const { at, list, root, cids } = await siteWith(t)
  const a = cids.get('a.txt')!
  const host = (name: string) => ({ host: name })
  const asked: Asked[] = [
    { path: `/ipfs/${a}` },
    { path: `/net/${a}` },
    { path: `/ipfs/${root}/a.txt` },
    { path: `/ipfs/${root}/a.txt`, headers: { 'if-none-match': `"${a}"` } },
    { path: `/ipfs/${root}/a.txt`, headers: { 'cache-control': 'only-if-cached' } },
    { path: `/ipfs/${root}/a.txt`, headers: { range: 'bytes=0-0' } },
    { path: `/ipfs/${root}/a.txt`, method: 'HEAD' },
    { path: `/ipfs/${a}?format=raw` },
    { path: `/ipfs/${a}?format=car` },
    { path: `/ipfs/${root}/a.txt?format=car&dag-scope=block` },
    { path: `/ipfs/${a}?format=tar` },
    { path: `/ipns/${SITE}/a.txt` },
    { path: '/a.txt', headers: host(SITE) },
    { path: '/a.txt', headers: host(`${root}.ipfs.localhost`) },
    { path: '/', headers: host(`${a}.ipfs.localhost`) },
    { path: '/a.txt', headers: host('site-example.ipns.localhost') }
  ]
  for (const one of asked) t.true([200, 206, 304].includes((await at.ask(one)).status), JSON.stringify(one))
  await appendFile(list, `/ipfs/${a}\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${a}`)).status === 410)
  for (const one of asked) t.is((await at.ask(one)).status, 410, JSON.stringify(one))
  t.is((await at.get(`/ipfs/${a}`)).text, `/ipfs/${a} is blocked and cannot be provided\n`)
  t.is((await at.get(`/ipfs/${root}/b.txt`)).text, 'b')
  for (const format of ['tar', 'car']) {
    const archive = await at.get(`/ipfs/${root}?format=${format}`)
    t.true(archive.status === 410 || archive.isCut, `${format} of what holds it: ${archive.status}`)
  }

  await writeFile(list, `/ipfs/${root}/docs* gateway_status:451\n!/ipfs/${root}/docs/other.txt\n/ipns/${SITE}\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${a}`)).status === 200)
  t.is((await at.get(`/ipfs/${root}/docs/inner.txt`)).status, 451)
  t.is((await at.get(`/ipfs/${root}/docs/other.txt`)).text, 'other')
  for (const one of [{ path: `/ipns/${SITE}` }, { path: '/ipns/alias.example/' }, { path: `/ipns/alias.example?format=car` }]) {
    t.is((await at.ask(one)).status, 410, one.path)
  }
})

/** A domain as name servers read it: `\\109` is a byte, and any other sign behind `\\` is itself. */
const asServersRead = (domain: string) =>
  domain.replace(/\\(\d{3}|.)/g, (_, it: string) => (it.length === 3 ? String.fromCharCode(Number(it)) : it)).toLowerCase()

test('a domain is denied however its name is written, over the gateway and by calls, and what is no host name is not looked up', async t => {
  const path = await folder(t)
  await writeFile(join(path, 'own.deny'), '/ipns/example.com\n/ipns/xn--bcher-kva.example\n')
  const links: Record<string, string> = {}
  const asked: string[] = []
  const texts = async (domain: string) => {
    asked.push(domain)
    return links[asServersRead(domain)] === undefined ? [] : [links[asServersRead(domain)]!]
  }
  const at = await world(t, { others: { denylist: { files: [path], calls: true } }, services: [ready(TxtResolver, { texts })] })
  const { root } = await at.add(FILES)
  for (const name of ['example.com', 'xn--bcher-kva.example', 'other.com']) links[`_dnslink.${name}.`] = `dnslink=/ipfs/${root}`
  const call = (name: string) => at.host.call('cat', { args: [`/ipns/${name}/a.txt`] }).then(itemsOf)
  t.is((await at.get('/ipns/other.com/a.txt')).text, 'a')
  await call('Other.com.')
  t.deepEqual([...new Set(asked.map(domain => domain.toLowerCase()))], ['_dnslink.other.com.'])
  for (const name of ['example.com', 'EXAMPLE.com', 'example.com.', 'ex\u00ADample.com', 'bücher.example', 'BÜCHER。example']) {
    for (const text of [encodeURIComponent(name), encodeURIComponent(name).replaceAll('e', '%65')])
      t.is((await at.get(`/ipns/${text}/a.txt`)).status, 410, text)
    await t.throwsAsync(call(name), { message: /is blocked and cannot be provided/ }, name)
  }
  asked.length = 0
  for (const name of [
    'exa\\109ple.com',
    'exam\\ple.com',
    'example\\.com',
    'ex%61mple.com',
    'example.com\0',
    'example.com..',
    ' example.com'
  ]) {
    const { status, text } = await at.get(`/ipns/${encodeURIComponent(name)}/a.txt`)
    t.is(status, 500, `${name}: ${text}`)
    await t.throwsAsync(call(name), { message: /^(?:cannot resolve|DNSLink lookup)/ }, name)
  }
  t.deepEqual(asked, [])
  for (const host of ['exa\\109ple.com', 'exa%6dple.com']) t.is((await at.get('/a.txt', { host })).status, 400, host)
})

test('a rule on a file is no less one where its folder, or a line of _redirects, leads to it', async t => {
  const path = await folder(t)
  const list = join(path, 'own.deny')
  await writeFile(list, '')
  const site = { 'index.html': 'start', 'secret.txt': 'secret', _redirects: '/x /secret.txt 200\n' }
  const plain = await world(t)
  const { root } = await plain.add(site)
  const at = await world(t, { others: { denylist: { files: [path] }, name: { dns: 'none', fixed: { [SITE]: `/ipfs/${root}` } } } })
  await at.add(site)
  const asked: Asked[] = [
    { path: `/ipfs/${root}/` },
    { path: '/', headers: { host: `${root}.ipfs.localhost` } },
    { path: '/x', headers: { host: SITE } },
    { path: '/secret.txt', headers: { host: SITE } }
  ]
  for (const one of asked) t.is((await at.ask(one)).status, 200, JSON.stringify(one))
  await appendFile(list, `/ipfs/${root}/index.html\n/ipns/${SITE}/secret.txt\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${root}/index.html`)).status === 410)
  for (const one of asked) t.is((await at.ask(one)).status, 410, JSON.stringify(one))
})

test('a client that has an answer already is told of a denial, too, where the answer was of nothing else', async t => {
  const path = await folder(t)
  const list = join(path, 'own.deny')
  await writeFile(list, '')
  const at = await world(t, { others: { denylist: { files: [path] } } })
  const { root, cids } = await at.add({ 'a.txt': 'a', 'index.html': 'start', 'docs/b.txt': 'b' })
  const paths = [`${root}/a.txt?format=car`, `${root}/a.txt?format=raw`, `${root}/a.txt`, `${root}/`]
  const tags = await Promise.all(paths.map(async one => String((await at.get(`/ipfs/${one}`)).headers.etag)))
  const again = () => Promise.all(paths.map(async (one, i) => (await at.get(`/ipfs/${one}`, { 'if-none-match': tags[i]! })).status))
  t.deepEqual(await again(), [304, 304, 304, 304])
  await appendFile(list, `/ipfs/${cids.get('a.txt')}\n/ipfs/${cids.get('index.html')}\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${root}/a.txt`)).status === 410)
  t.deepEqual(await again(), [410, 410, 410, 410])
  t.is((await at.get(`/ipfs/${root}/docs/b.txt`, { 'if-none-match': `"${cids.get('docs/b.txt')}"` })).status, 304)
})

test('a rule on a path is no less one where somebody asks for more below it: no proof and no block of it is given', async t => {
  const { at, list, root, cids } = await siteWith(t)
  const link = (cid: string) => ({ '/': cid })
  const put = async (value: unknown) => {
    const [item] = await itemsOf<{ Cid: { '/': string } }>(await at.host.call('dag/put', { body: upload(JSON.stringify(value)) }))
    return item!.Cid['/']
  }
  const data = await put({ deep: { secret: 1 } })
  const node = await put({ list: [link(data)], site: link(root) })
  const asked = [
    `/ipfs/${root}/a.txt/more?format=car`,
    `/ipfs/${root}/docs/none?format=car`,
    `/ipns/${SITE}/a.txt/more/and/more?format=car`,
    `/ipfs/${node}/site/a.txt/more?format=car`,
    `/ipfs/${node}/list/0/deep/secret?format=raw`,
    `/ipfs/${node}/list/0/deep?format=car`,
    `/ipfs/${node}/list/0/deep/none?format=car`
  ]
  for (const path of asked) t.is((await at.get(path)).status, 200, path)
  await writeFile(
    list,
    [`/ipfs/${root}/a.txt`, `/ipfs/${root}/docs`, `/ipns/${SITE}/a.txt`, `/ipfs/${node}/site/a.txt`, `/ipfs/${node}/list/0`].join('\n')
  )
  await until('the file is followed', async () => (await at.get(`/ipfs/${root}/a.txt`)).status === 410)
  for (const path of asked) t.is((await at.get(path)).status, 410, path)
  // what such a rule says nothing of
  t.is((await at.get(`/ipfs/${root}/docs/inner.txt?format=car`)).status, 200)
  t.is((await at.get(`/ipfs/${root}/none?format=car`)).status, 200)
  t.is((await at.get(`/ipfs/${cids.get('a.txt')}`)).status, 200)
  for (const format of ['car', 'tar']) t.false((await at.get(`/ipfs/${root}?format=${format}`)).isCut)
})

test('a rule on a path below a name holds also where another name leads to that one', async t => {
  const { at, list } = await siteWith(t)
  const asked = ['/ipns/alias.example/a.txt', '/ipns/alias.example/a.txt?format=raw', '/ipns/alias.example/docs/inner.txt?format=car']
  for (const path of asked) t.is((await at.get(path)).status, 200, path)
  await writeFile(list, `/ipns/${SITE}/a.txt\n/ipns/${SITE}/docs*\n`)
  await until('the file is followed', async () => (await at.get(`/ipns/${SITE}/a.txt`)).status === 410)
  for (const path of asked) t.is((await at.get(path)).status, 410, path)
  t.is((await at.ask({ path: '/a.txt', headers: { host: 'alias.example' } })).status, 410)
  t.is((await at.get('/ipns/alias.example/b.txt')).status, 200)
})

test('a list that cannot be read keeps the rules of before, and keeps a node from starting', async t => {
  const { at, list, root, folder } = await siteWith(t)
  await writeFile(list, `version: 1\nhints:\n  gateway_status: 451\n---\n/ipfs/${root}\nnonsense\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${root}/`)).status === 451)
  await writeFile(join(folder, 'next'), 'version: 2\n---\n')
  await rename(join(folder, 'next'), list)
  await new Promise(resolve => setTimeout(resolve, 600))
  t.is((await at.get(`/ipfs/${root}/`)).status, 451)
  const configuration = { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on', denylist: { files: [list] } } } as const
  const host = await createHost({ repo: { path: undefined, init: {} }, configuration })
  await t.throwsAsync(host.start(), { message: /denylist .*own\.deny: its header cannot be read: its version has to be 1/ })
})

test('calls refuse what is denied where the setting says so', async t => {
  const { at, list, root, cids } = await siteWith(t, true)
  const a = cids.get('a.txt')!
  await writeFile(list, `/ipfs/${a}\n/ipfs/${root}/docs/*\n/ipns/${SITE}\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${a}`)).status === 410)
  const run = async (command: string, path: string) => itemsOf(await at.host.call(command, { args: [path] }))
  const denied: ReadonlyArray<readonly [string, string]> = [
    ['cat', a],
    ['cat', `${root}/a.txt`],
    ['cat', `/ipfs/${root}/docs/inner.txt`],
    ['cat', `/ipns/${SITE}/b.txt`],
    ['cat', '/ipns/alias.example/b.txt'],
    ['ls', '/ipns/alias.example'],
    ['get', a],
    ['get', root],
    ['ls', `${root}/docs`],
    ['pin/add', a],
    ['block/get', a],
    ['dag/get', a],
    ['dag/export', a]
  ]
  for (const [command, path] of denied) {
    await t.throwsAsync(run(command, path), { code: 'E_DENIED', message: /is blocked and cannot be provided$/ }, `${command} ${path}`)
  }
  t.deepEqual(Buffer.concat((await run('cat', `${root}/b.txt`)) as Buffer[]).toString(), 'b')
  // what is stored stays, and can be removed
  await t.notThrowsAsync(at.host.call('repo/gc', {}).then(result => itemsOf(result)))
  await at.host.call('pin/rm', { args: [root] })
  t.deepEqual(await run('block/rm', a), [{ Hash: a }])
})

test('calls are not held to it otherwise', async t => {
  const { at, list, cids } = await siteWith(t)
  await writeFile(list, `/ipfs/${cids.get('a.txt')}\n`)
  await until('the file is followed', async () => (await at.get(`/ipfs/${cids.get('a.txt')}`)).status === 410)
  t.deepEqual(Buffer.concat((await itemsOf(await at.host.call('cat', { args: [cids.get('a.txt')!] }))) as Buffer[]).toString(), 'a')
})

test("a denylist of a third party's is asked in the same places", async t => {
  const denied = new Set<string>()
  const denylist: Denylist = {
    coversCalls: true,
    ofBlock: async cid => (denied.has(String(cid)) ? { status: 451 } : undefined),
    ofPath: () => undefined
  }
  const at = await world(t, { services: [ready(Denylist, denylist)] })
  const { root, cids } = await at.add(FILES)
  denied.add(cids.get('a.txt')!)
  t.is((await at.get(`/ipfs/${root}/a.txt`)).status, 451)
  t.is((await at.get(`/ipfs/${root}/b.txt`)).status, 200)
  await t.throwsAsync(async () => itemsOf(await at.host.call('cat', { args: [`${root}/a.txt`] })), { code: 'E_DENIED' })
})
