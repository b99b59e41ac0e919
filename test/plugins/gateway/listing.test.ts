import test from 'ava'
import { site } from './browser/site.ts'
import { shared } from './rows/table.ts'

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
  t.deepEqual(await hrefs(`${root}/none?x="><script>`), ['', `${root}?format=raw`])
  t.deepEqual(await hrefs('/ipfs/nope"><script>'), [])
  const block = await at.get(`${root}?format=raw`)
  t.deepEqual([block.status, block.headers['content-type']], [200, 'application/vnd.ipld.raw'])
})
