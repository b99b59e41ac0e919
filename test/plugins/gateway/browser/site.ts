import test, { type ExecutionContext } from 'ava'
import { itemsOf, upload } from '../../../../host/testing.ts'
import { type Added, type Answer, type World, world } from '../world.ts'

export interface Row {
  readonly title: string
  readonly method?: string
  /** `SITE` and `CIDOF(name)` stand for CIDs. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** undefined: the field must not be there. */
  readonly fields?: Readonly<Record<string, string | RegExp | undefined>>
  readonly text?: string | RegExp
}

export const IMMUTABLE = 'public, max-age=29030400, immutable'
export const LISTING = 'public, max-age=604800, stale-while-revalidate=2678400'
export const ALLOW = 'GET, HEAD, OPTIONS'
export const BIG = Buffer.alloc(5000, 'abcdefghij')

export const FILES = {
  'index.html': '<!doctype html><title>home</title>',
  'a.txt': 'hello gateway\n',
  'big.bin': BIG,
  'page.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'json-without-ending': '{"a":[1,2]}',
  empty: '',
  'docs/read me.md': '# Read\n',
  'docs/<img src=x onerror=alert(1)>"\'#?%.txt': 'escaped',
  'docs/ż.txt': 'polish',
  'bad/index.html/inner.txt': 'a folder named as a page'
}

/** A node with the files and a block of data that links to them. */
export interface Site {
  readonly at: World
  readonly site: Added
  /** A CID of dag-cbor. */
  readonly cbor: string
}

/** Makes the node before the tests of a file, and stops it behind them. @returns how a test gets it */
export function withSite(): () => Site {
  let made: Site
  const finished: Array<() => unknown> = []
  test.before(async () => {
    const at = await world({ teardown: fn => void finished.push(fn) })
    const site = await at.add(FILES, { cidVersion: 1, chunker: 'size-1000' })
    const { root, cids } = site
    const link = (cid: string) => ({ '/': cid })
    const value = { text: '<b>', map: { inner: link(cids.get('a.txt')!), n: 1 }, site: link(root) }
    const [item] = await itemsOf<{ Cid: { '/': string } }>(await at.host.call('dag/put', { body: upload(JSON.stringify(value)) }))
    made = { at, site, cbor: item!.Cid['/'] }
  })
  test.after.always(async () => {
    for (const finish of finished) await finish()
  })
  return () => made
}

/** Makes each row a test of the site. */
export function holdRows(rows: readonly Row[], get: () => Site): void {
  for (const row of rows) test(row.title, t => hold(t, row, get()))
}

async function hold(t: ExecutionContext, { method, path, headers = {}, status, fields = {}, text }: Row, site: Site): Promise<void> {
  const filled = (text: string) => fill(text, site)
  const matcher = (found: RegExp) => (HOLDS_CIDS.test(found.source) ? new RegExp(filled(bare(found.source)), found.flags) : found)
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
  const answer: Answer = await site.at.ask({ method, path: filled(path), headers: sent })
  t.is(answer.status, status, answer.text.slice(0, 500))
  t.false(answer.isCut)
  for (const [name, value] of Object.entries(fields)) {
    const found = answer.headers[name] as string | undefined
    if (value === undefined) t.is(found, undefined, name)
    else if (typeof value === 'string') t.is(found, filled(value), name)
    else t.regex(found ?? '', matcher(value), name)
  }
  if (typeof text === 'string') t.is(answer.text, text)
  else if (text !== undefined) t.regex(answer.text, matcher(text))
}

const HOLDS_CIDS = /SITE|CBOR|CIDOF/
/** A pattern whose stands for CIDs are written as in texts. */
const bare = (source: string) => source.replaceAll('\\(', '(').replaceAll('\\)', ')').replaceAll('a\\.txt', 'a.txt')

function fill(text: string, { site, cbor }: Site): string {
  return text
    .replaceAll('SITE', site.root)
    .replaceAll('CBOR', cbor)
    .replace(/CIDOF\(([^)]*)\)/g, (_, name: string) => site.cids.get(name)!)
}
