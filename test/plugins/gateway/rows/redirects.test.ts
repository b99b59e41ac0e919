/** Rules of a site's `_redirects`. */
import { type World, world } from '../world.ts'
import { hold, onHost, type Row, type Setting } from './table.ts'

const RULES = `# a line that says nothing

/one /one.html\r
  /trimmed   /one.html   302
/s301 /one.html 301
/s302 /one.html 302
/s303 /one.html 303
/s307 /one.html 307
/s308 /one.html 308
/first /one.html
/first /two.html
/a.txt /one.html
/posts/:year/:name /articles/:name/:year/:name
/splat/* /to/:splat
/out/* https://out.example/:splat?from=site
/find/:what /search?for=:what&in=all#:what 302
/odd/:name /odd-:name?x 200
/ipfs-out ipfs://bafkqaaa/x 302
/query /one.html?a=1&b=2 302
/app/* /one.html 200
/page404 /404.html 404
/page410 /404.html 410
/page451 /404.html 451
/folder /docs 200
`

const to = (location: string) => ({ location })
const host = '{SITE}.ipfs.localhost'
const page = { 'content-type': 'text/html', etag: '"{PAGE}"', 'cache-control': 'public, max-age=29030400, immutable' }

/** What a bad file says, and what of it is told. */
const BAD: ReadonlyArray<readonly [title: string, file: string, told: RegExp]> = [
  ['301!', '/a /b 301!', /forced redirects \(or "shadowing"\) are not supported/],
  ['999', '/a /b 999', /status code 999 is not supported/],
  ['no to', '/a', /missing 'to' path/],
  ['too much', '/a /b 301 more', /must match format 'from to \[status\]'/],
  ['a star within', '/a/*/b /c', /path must end with asterisk/],
  ['two stars', '/a/*/* /c', /path can have at most one asterisk/],
  ['no slash', 'a /c', /path must begin with '\/'/],
  ['another scheme', '/a ftp://x.example/', /invalid URL scheme/],
  ['a script', '/a javascript:alert(1)', /invalid URL scheme/],
  ['too long', `${'#'.repeat(65_536)}\n`, /redirects file size cannot exceed 65536 bytes/]
]

const ROWS: readonly Row[] = [
  { title: '301 where nothing is said', host, path: '/one', status: 301, fields: to('/one.html') },
  { title: 'by HEAD', method: 'HEAD', host, path: '/one', status: 301, text: '', fields: to('/one.html') },
  { title: 'blanks do not count', host, path: '/trimmed', status: 302, fields: to('/one.html') },
  ...[301, 302, 303, 307, 308].map(
    (status): Row => ({ title: String(status), host, path: `/s${status}`, status, fields: to('/one.html') })
  ),
  { title: 'the first rule that fits', host, path: '/first', status: 301, fields: to('/one.html') },
  { title: 'a slash at the end does not count', host, path: '/first/', status: 301, fields: to('/one.html') },
  onHost('a file that is there', host, '/a.txt', 200, 'a'),
  { title: 'placeholders', host, path: '/posts/2024/hello', status: 301, fields: to('/articles/hello/2024/hello') },
  onHost('of another number of segments', host, '/posts/2024', 404),
  { title: 'the rest', host, path: '/splat/a/b', status: 301, fields: to('/to/a/b') },
  { title: 'another host', host, path: '/out/a?x=y', status: 301, fields: to('https://out.example/a?from=site&x=y') },
  {
    title: 'marks of URLs in what a placeholder found',
    host,
    path: '/splat/a%3Fb%23c%25/d',
    status: 301,
    fields: to('/to/a%3Fb%23c%25/d')
  },
  {
    title: 'so in a query, where there are more of them',
    host,
    path: '/find/a%26b=c+d%20%C3%A9',
    status: 302,
    fields: to('/search?for=a%26b%3Dc%2Bd%20%C3%A9&in=all#a%26b%3Dc%2Bd%20%C3%A9')
  },
  onHost('a file whose name has them, in the stead of a path', host, '/odd/%3F%23%25', 200, 'odd'),
  { title: 'another scheme', host, path: '/ipfs-out', status: 302, fields: to('ipfs://bafkqaaa/x') },
  {
    title: 'what the request says of a parameter comes before what the rule says',
    host,
    path: '/query?b=3&c=4',
    status: 302,
    fields: to('/one.html?a=1&b=3&c=4')
  },
  {
    title: '200: another file in its stead',
    host,
    path: '/app/x/y',
    status: 200,
    text: 'one',
    fields: { etag: '"{ONE}"', 'content-type': 'text/html', 'x-ipfs-path': '/ipfs/{SITE}/app/x/y' }
  },
  { title: '200: which the client has', host, path: '/app/x', headers: { 'if-none-match': '"{ONE}"' }, status: 304, text: '' },
  { title: '200: a range of it', host, path: '/app/x', headers: { range: 'bytes=0-0' }, status: 206, text: 'o' },
  ...[404, 410, 451].flatMap((status): Row[] => [
    { title: `${status}: a page of the site`, host, path: `/page${status}`, status, text: 'gone', fields: page },
    { title: `${status}: by HEAD`, method: 'HEAD', host, path: `/page${status}`, status, text: '', fields: page }
  ]),
  {
    title: 'of a name its page is not kept',
    host: 'site.example',
    path: '/page404',
    status: 404,
    text: 'gone',
    fields: { ...page, 'cache-control': undefined }
  },
  { title: 'a name has them, too', host: 'site.example', path: '/one', status: 301, fields: to('/one.html') },
  onHost('no rule fits', host, '/none', 404, /no link named "none" under {SITE}/),
  { title: 'without an origin of its own', path: '/ipfs/{SITE}/one', status: 404 },
  onHost('for a form', host, '/one?format=raw', 404),
  { title: 'for what programs accept', host, path: '/one', headers: { accept: 'application/json, text/plain, */*' }, status: 404 },
  onHost('a site without rules', '{DOCS}.ipfs.localhost', '/one', 404),
  {
    title: 'an ipfs-404.html is a file as others are',
    host: '{DOCS}.ipfs.localhost',
    path: '/none',
    headers: { accept: 'text/html' },
    status: 404,
    text: /<h1>404 Not Found<\/h1>/
  },
  ...BAD.flatMap(([title, , told], i): Row[] => [
    {
      title: `${title}: wrong`,
      host: `{BAD_${i}}.ipfs.localhost`,
      path: '/none',
      status: 500,
      text: new RegExp(
        `^trouble processing _redirects file at "/ipfs/{BAD_${i}}/_redirects": could not parse _redirects: [\\s\\S]*${told.source}`
      )
    },
    onHost(`${title}: a file that is there`, `{BAD_${i}}.ipfs.localhost`, '/a.txt', 200, 'a')
  ])
]

async function sites(t: Parameters<typeof world>[0]): Promise<Setting> {
  const site = (at: World) =>
    at.add({
      'a.txt': 'a',
      'one.html': 'one',
      'two.html': 'two',
      '404.html': 'gone',
      'docs/x.txt': 'x',
      'docs/ipfs-404.html': 'never',
      'odd-?#%': 'odd',
      _redirects: RULES
    })
  const { root } = await site(await world(t))
  const at = await world(t, { others: { name: { dns: 'none', fixed: { 'site.example': `/ipfs/${root}` } } } })
  const { cids } = await site(at)
  const bad = await Promise.all(BAD.map(([, file]) => at.add({ 'a.txt': 'a', _redirects: file })))
  const names = Object.fromEntries(bad.map((added, i) => [`BAD_${i}`, added.root]))
  return { at, names: { ...names, SITE: root, ONE: cids.get('one.html')!, PAGE: cids.get('404.html')!, DOCS: cids.get('docs')! } }
}

hold('_redirects', sites, ROWS)
