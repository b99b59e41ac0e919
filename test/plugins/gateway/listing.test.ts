import test from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { DAG_JSON, DAG_PB } from '../../../core/cid/index.ts'
import { Exchange, ready } from '../../../core/index.ts'
import { LONGEST_SEARCH, MOST_FOUND, MOST_OPENED, MOST_OPENED_BYTES } from '../../../plugins/gateway/answer/entries.ts'
import { MOST_FILENAME } from '../../../plugins/gateway/reply/disposition.ts'
import { chooseFormat } from '../../../plugins/gateway/request/format.ts'
import { site } from './browser/site.ts'
import { MISSING, putFolder, putUnixFs } from './rows/content.ts'
import { shared } from './rows/table.ts'
import { emptyExchange, world } from './world.ts'

const get = shared(site)

test('a listing shows every name as text, leads nowhere else, and needs nothing from elsewhere', async t => {
  const { at, names } = await get()
  const { text } = await at.get(`/ipfs/${names['SITE']}/docs/`)
  t.false(text.includes('<img'))
  t.false(/<script|<link|<[^>]*\ssrc=|url\(/i.test(text))
  t.true(text.includes('&lt;img src=x onerror=alert(1)&gt;&#34;&#39;#?%.txt'))
  const hrefs = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
  t.true(
    hrefs.every(href => href.startsWith('/ipfs/')),
    hrefs.join('\n')
  )
  t.true(hrefs.includes(`/ipfs/${names['SITE']}/docs/..`))
  t.regex(text, /<a class="ipfs-hash" translate="no" href="\/ipfs\/[a-z0-9]+\?filename=[^"]*%2525\.txt">/)
  for (const href of hrefs.filter(one => one.startsWith(`/ipfs/${names['SITE']}/docs/`) && !one.endsWith('..'))) {
    t.is((await at.get(href)).status, 200, href)
  }
})

test('every page of the gateway itself forbids what could still come into it: scripts, and all that is loaded or sent', async t => {
  const { at, names } = await get()
  const html = { accept: 'text/html' }
  const pages = [await at.get(`/ipfs/${names['SITE']}/docs/`), await at.get('/ipfs/nope', html)]
  for (const { text } of pages) {
    const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(text) ?? []
    t.is(policy, "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
    t.true(text.indexOf('Content-Security-Policy') < text.indexOf('<title>'))
  }
})

test('the page of an error says what to do: ask again where that may help, and get the block that the path begins at', async t => {
  const { at, names } = await get()
  const html = { accept: 'text/html' }
  const hrefs = async (path: string) => [...(await at.get(path, html)).text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  const root = `/ipfs/${names['SITE']}`
  t.deepEqual(await hrefs(`${root}/none?x="><script>`), ['', './', `${root}?format=raw`])
  t.deepEqual(await hrefs('/ipfs/nope"><script>'), [])
  const block = await at.get(`${root}?format=raw`)
  t.deepEqual([block.status, block.headers['content-type']], [200, 'application/vnd.ipld.raw'])
})

const html = { accept: 'text/html' }

test('the page of an error on a host of its own leads to the block of the site, and says another thing of what is not stored', async t => {
  const { at, names } = await get()
  const site = { ...html, host: `${names['SITE']}.ipfs.localhost` }
  const noEntry = await at.get('/docs/none/', site)
  t.regex(noEntry.text, /<p>Nothing is there under this path\.<\/p>[\s\S]*capitals count/)
  t.true(noEntry.text.includes('href="../"'))
  t.true(noEntry.text.includes(`href="/?format=raw">Get the block <code>${names['SITE']}</code>`))
  const missing = await at.get(`/ipfs/${MISSING}`, html)
  t.regex(missing.text, /<p>This node does not have this content\.<\/p>[\s\S]*start it with its network/)
  t.false(missing.text.includes('folder above'))
})

test('a page has at most 20 kB of its own, and no script', async t => {
  const { at, names } = await get()
  const listed = await at.get(`/ipfs/${names['SITE']}/docs/?search=a`)
  const pages = [listed, await at.get(`/ipfs/${names['SITE']}/none`, html), await at.get(`/ipfs/${names['CBOR']}/`, html)]
  for (const { text } of pages) {
    t.true(Buffer.byteLength(text) <= 20_000, `${Buffer.byteLength(text)} bytes`)
    t.false(/<script|\son\w+=|javascript:|url\(|@import/i.test(text.replace(/&lt;img src=x onerror=[^<]*/, '')))
  }
})

/** The rows of a listing: kind, name and time of each entry. */
function rowsOf(text: string): Array<{ kind: string; name: string; time: string | undefined }> {
  const rows = text.matchAll(
    /<tr class="(\w+)"><td><a href="[^"]*">(.*?)<\/a><\/td><td class="date">(?:<(?:time|span)[^>]*>([^<]*)<\/\w+>)?<\/td>/g
  )
  return [...rows].map(([, kind, name, time]) => ({ kind: kind!, name: name!, time }))
}

const kinds = (text: string) => Object.fromEntries(rowsOf(text).map(({ kind, name }) => [name, kind]))

test('a listing shows what its entries are: by their own nodes where these are stored here, else by name, and asks nobody for them', async t => {
  const { asked, exchange } = emptyExchange()
  const at = await world(t, { services: [ready(Exchange, exchange)] })
  const { root, cids } = await at.add({ 'a/b.txt': 'b', 'c.png': 'c' })
  const entry = async (type: 'file' | 'directory' | 'symlink', mtime?: bigint) =>
    putUnixFs(at, new UnixFS({ type, data: Buffer.from('x'), ...(mtime !== undefined && { mtime: { secs: mtime } }) }))
  const absent = CID.createV1(DAG_PB, CID.parse(MISSING).multihash).toString()
  const folder = await putFolder(at, [
    { name: 'archive.zip', cid: MISSING },
    { name: 'clip.webm', cid: absent },
    { name: 'dated', cid: await entry('file', 1_714_564_800n) },
    { name: 'folder.png', cid: await entry('directory', -1n) },
    { name: 'far', cid: await entry('file', 400_000_000_000n) },
    { name: 'link', cid: await entry('symlink') },
    { name: 'main.rs', cid: cids.get('c.png')! },
    { name: 'nowhere', cid: absent },
    { name: 'plain', cid: cids.get('c.png')! },
    { name: 'site', cid: root },
    { name: 'song.flac', cid: MISSING },
    { name: 'text.md', cid: MISSING },
    { name: 'values', cid: await at.put(Buffer.from('{}'), DAG_JSON) }
  ])
  const { text, status } = await at.get(`/ipfs/${folder}/`)
  t.is(status, 200)
  t.deepEqual(kinds(text), {
    'archive.zip': 'archive',
    'clip.webm': 'video',
    dated: 'file',
    'folder.png': 'folder',
    far: 'file',
    link: 'link',
    'main.rs': 'code',
    nowhere: 'node',
    plain: 'file',
    site: 'folder',
    'song.flac': 'audio',
    'text.md': 'text',
    values: 'data'
  })
  for (const kind of Object.values(kinds(text))) t.regex(text, new RegExp(`\n\\.${kind} \\{ --icon: path\\(evenodd, "M`))
  t.true(text.includes('\n.folder td:first-child a::after { content: "/" }\n'))
  t.deepEqual(
    rowsOf(text).flatMap(({ name, time }) => (time === undefined ? [] : [[name, time]])),
    [
      ['dated', '2024-05-01 12:00'],
      ['far', '14645-06-30 15:06'],
      ['folder.png', '1969-12-31 23:59']
    ]
  )
  t.true(text.includes('<time datetime="2024-05-01T12:00:00Z">') && !text.includes('datetime="14645'))
  t.deepEqual(asked, [])
})

test('a listing looks at no more than so many entries, and bytes of them', async t => {
  const at = await world(t)
  const file = (data: string) => putUnixFs(at, new UnixFS({ type: 'file', data: Buffer.from(data) }))
  const small = await Promise.all(Array.from({ length: MOST_OPENED + 20 }, async (_, i) => ({ name: `n${i}`, cid: await file(`${i}`) })))
  const opened = rowsOf((await at.get(`/ipfs/${await putFolder(at, small)}/`)).text).filter(({ kind }) => kind === 'file')
  t.is(opened.length, MOST_OPENED)
  const half = MOST_OPENED_BYTES / 2
  const large = await Promise.all(['a', 'b', 'c', 'd'].map(async name => ({ name, cid: await file(name.repeat(half)) })))
  t.deepEqual(kinds((await at.get(`/ipfs/${await putFolder(at, large)}/`)).text), { a: 'file', b: 'file', c: 'node', d: 'node' })
})

const found = (text: string) => rowsOf(text).map(({ name }) => name)
const told = (text: string) => /<p class="found" role="status">(.*)<\/p>/.exec(text)?.[1]

for (const [what, options] of [
  ['a folder', {}],
  ['a sharded folder', { 'Internal.UnixFSShardingSizeThreshold': '1B' }]
] as const) {
  test(`${what} is searched by a part of the name, however it is written, and its page says what was found`, async t => {
    const at = await world(t, { config: options })
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`Photo ${i}.png`, `${i}`]))
    const { root } = await at.add({ ...files, 'Z\u0307o\u0301łw <1>.txt': 'decomposed', 'żółw 2.txt': 'composed' })
    const search = async (text: string) => (await at.get(`/ipfs/${root}/?search=${encodeURIComponent(text)}`)).text
    const some = await search(' pHOTO 5')
    t.deepEqual(found(some).sort(), [5, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59].map(i => `Photo ${i}.png`).sort())
    t.is(some.includes('<dt>Entries</dt><dd>62</dd>'), what === 'a folder')
    t.is(told(some), '11 of 62 names have <q>pHOTO 5</q> in it.')
    t.true(some.includes(`<a class="button" href="/ipfs/${root}/">Show all</a>`))
    t.is(found(await search('ŻÓŁW')).length, 2)
    const none = await search('"><script>')
    t.deepEqual(found(none), [])
    t.is(told(none), 'None of 62 names have <q>&#34;&gt;&lt;script&gt;</q> in it.')
    t.true(none.includes('value="&#34;&gt;&lt;script&gt;"') && !none.includes('<script>'))
    t.is(found(await search(' ')).length, 62)
    const long = 'x'.repeat(LONGEST_SEARCH)
    t.true((await search(`${long}y`)).includes(`value="${long}"`))
  })
}

test('a page with a form sends it to this gateway alone; a short folder has none', async t => {
  const { at, names } = await get()
  const policyOf = (text: string) => /form-action ([^"]*)"/.exec(text)?.[1]
  const short = (await at.get(`/ipfs/${names['SITE']}/docs/`)).text
  t.deepEqual([policyOf(short), short.includes('<form')], ["'none'", false])
  const { root } = await at.add(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}`, `${i}`])))
  const long = (await at.get(`/ipfs/${root}/`)).text
  t.is(policyOf(long), "'self'")
  t.regex(long, /<form role="search"><label for="search">[^<]*<\/label><input type="search" id="search" name="search"/)
})

test('a search ends after so many entries, and says that it did', async t => {
  const at = await world(t)
  const links = Array.from({ length: MOST_FOUND + 500 }, (_, i) => ({ name: `n${i}`, cid: 'bafkqaaa' }))
  const { text } = await at.get(`/ipfs/${await putFolder(at, links)}/?search=n`)
  t.is(found(text).length, MOST_FOUND)
  t.regex(told(text)!, /^1,000 of the first 1,000 names have <q>n<\/q> in it\. The rest was not looked at/)
})

test('an empty folder says that it is', async t => {
  const at = await world(t)
  t.regex((await at.get(`/ipfs/${await putFolder(at, [])}/`)).text, /<p class="found">This folder is empty\.<\/p>/)
})

test('marks that have a name run the other way are seen, and not followed', async t => {
  const { at } = await get()
  const name = 'photo\u202egpj.exe'
  const { root } = await at.add({ [`${name}/a.txt`]: 'a', '\u2066x\u2069.txt': 'x' })
  const listing = await at.get(`/ipfs/${root}/`)
  t.is(listing.status, 200)
  t.true(listing.text.includes('>photo\\u202egpj.exe</a>') && listing.text.includes('>\\u2066x\\u2069.txt</a>'))
  const below = await at.get(`/ipfs/${root}/${encodeURIComponent(name)}/`)
  const error = await at.get(`/ipfs/${root}/${encodeURIComponent(name)}/none`, html)
  for (const { text } of [listing, below, error]) t.notRegex(text, /[\u202a-\u202e\u2066-\u2069]/)
  t.true(below.text.includes('photo\\u202egpj.exe'))
})

test('a name that the URL gives a file is taken up to its limit', async t => {
  const { at, names } = await get()
  for (const path of [`/ipfs/${names['A']}`, `/ipfs/${names['CBOR']}`, `/ipfs/${names['A']}?format=raw`]) {
    const named = (length: number) => `${path}${path.includes('?') ? '&' : '?'}filename=${'n'.repeat(length)}`
    t.is((await at.get(named(MOST_FILENAME))).status, 200, path)
    const refused = await at.get(named(MOST_FILENAME + 1))
    t.is(refused.status, 400, path)
    t.regex(refused.text, /longer than 1024 bytes/)
  }
})

test('parameters of a CAR count where Accept gives them to that very type', t => {
  const said = (accept: string) => [...chooseFormat({ headers: { accept } } as never, 'car').parameters]
  t.deepEqual(said('application/vnd.ipld.carx; dups=y'), [])
  t.deepEqual(said('application/vnd.ipld.carx; dups=y, application/vnd.ipld.car; dups=n'), [['dups', 'n']])
  t.deepEqual(said('Application/vnd.ipld.CAR; dups=y'), [['dups', 'y']])
})
