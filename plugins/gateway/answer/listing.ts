import { cidToString } from '../../../core/cid/index.ts'
import { Turns } from '../../../core/concurrency/index.ts'
import { cumulativeSize, type DirectoryLink, type DirectoryNode, listDirectory } from '../../../core/unixfs/index.ts'
import { escapeAttribute, escapeHtml } from '../pages/escape.ts'
import { ABOUT_STYLE, about, PAGE_END, pageHead } from '../pages/frame.ts'
import { ICON_STYLE } from '../pages/kinds.ts'
import { inPieces } from '../pages/pieces.ts'
import { type ContentRequest } from '../request/content.ts'
import { canonicalEscapes } from '../request/target.ts'
import { EntryRows, escapedSegment, formatSize, LONGEST, LONGEST_SEARCH, link, timeOf } from './entries.ts'
import { HeldFolder } from './held-folder.ts'

export const LISTING_STYLE = `${ABOUT_STYLE}
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1rem }
label { color: var(--quiet) }
input { flex: 1 1 14rem; max-width: 26rem; min-width: 0; border: 1px solid var(--edge); border-radius: 8px; padding: .45rem .75rem; background: var(--back); color: var(--text); font: inherit }
table { width: 100%; border: 1px solid var(--edge); border-radius: 10px; border-spacing: 0; overflow: hidden }
th { padding: .5rem .75rem; background: var(--soft); color: var(--quiet); font-size: .875rem; font-weight: 600; text-align: left; white-space: nowrap }
th:first-child, td:first-child { position: relative; width: 100%; padding-left: 2.5rem }
td { border-top: 1px solid var(--edge); padding: 0 .75rem; vertical-align: baseline }
td, td a { padding-top: .4rem; padding-bottom: .4rem }
td a { display: block; margin: -.4rem 0; text-decoration: none }
td a:hover { text-decoration: underline }
tbody tr:hover { background: var(--soft) }
.date, .size, .hash { color: var(--quiet); font-variant-numeric: tabular-nums; white-space: nowrap }
.size { text-align: right }
table:not(:has(time)) .date { display: none }
.found { margin: 1rem 0 0; color: var(--quiet) }
${ICON_STYLE}@media (max-width: 40rem) { table .hash, table .date { display: none } td, td a { padding-top: .6rem; padding-bottom: .6rem } td a { margin: -.6rem 0 } td:first-child::before { top: calc(.6rem + 3px) } }
`

/** Entries from which on a folder can be searched. */
const LONG = 24

/** Entries of a sharded folder that are read at a time, and characters of rows that are put together: what is held for a reader that stops. */
const BATCH = 64
const ROWS = 16_000

/** A page that lists a folder, in pieces as its entries come: of a sharded one, shards load as the page is read. */
export function listing(request: ContentRequest, node: DirectoryNode): AsyncGenerator<Uint8Array> {
  const base = canonicalEscapes(request.site.rawPath.replace(/\/$/, ''))
  const { sources, options } = request
  const search = request.query.get('search')?.slice(0, LONGEST_SEARCH).toWellFormed().trim() || undefined
  const rows = new EntryRows(request, base, search)
  // what runs for as long as somebody reads has no block of its own
  const texts =
    node.shard === undefined
      ? rowsOfBlock(new HeldFolder(node, sources, options), rows)
      : rowsOfShards(listDirectory(node, sources, options, BATCH), rows)
  return page(top(request, node, { base, search }), texts, () => bottom(rows, search), options.signal)
}

async function* page(
  top: string,
  texts: AsyncIterable<string>,
  bottom: () => string,
  signal: AbortSignal | undefined
): AsyncGenerator<Uint8Array> {
  yield* inPieces(top)
  const turns = new Turns(signal)
  for await (const text of texts) {
    if (text !== '') {
      yield* inPieces(text.toWellFormed())
      continue
    }
    // nothing was found so far, so nothing is sent that others could get their turn by, or a client that has left be noticed
    await turns.take()
  }
  yield* inPieces(bottom())
}

async function* rowsOfBlock(folder: HeldFolder, rows: EntryRows): AsyncGenerator<string> {
  try {
    while (!rows.isOver) {
      const text = await folder.next(entry => rows.row(entry), ROWS)
      if (text === undefined) return
      yield text
    }
  } finally {
    folder.close()
  }
}

async function* rowsOfShards(batches: AsyncIterable<readonly DirectoryLink[]>, rows: EntryRows): AsyncGenerator<string> {
  for await (const entries of batches) {
    let text = ''
    for (const [i, entry] of entries.entries()) {
      const row = rows.row(entry)
      text += typeof row === 'string' ? row : await row
      if (text.length < ROWS && i < entries.length - 1) continue
      yield text
      text = ''
    }
    if (rows.isOver) return
  }
}

/** What a listing has above its entries. */
interface Above {
  /** The address of the folder. */
  readonly base: string
  readonly search: string | undefined
}

function top(request: ContentRequest, node: DirectoryNode, { base, search }: Above): string {
  const { path } = request
  const isRoot = path.segments.length === 0
  const parent = isRoot
    ? ''
    : `<tr class="up"><td><a href="${escapeHtml(base)}/..">..</a></td><td class="date"></td><td class="size"></td><td class="hash"></td></tr>\n`
  const count = node.shard === undefined ? node.root.node.length : undefined
  const isSearched = search !== undefined || count === undefined || count > LONG
  const facts = about([
    ['CID', cidToString(node.cid)],
    ['Size', formatSize(cumulativeSize(node.root))],
    ['Entries', count?.toLocaleString('en')],
    ['Modified', timeOf(node.mtime) || undefined]
  ])
  return `${pageHead(path.text.toWellFormed(), { style: LISTING_STYLE, hasForm: isSearched })}<header>
<nav aria-label="Path"><h1>Index of ${breadcrumbs(request)}</h1></nav>
</header>
<main>
${facts}${isSearched ? searchForm(base, search) : ''}<table>
<thead><tr><th scope="col">Name</th><th scope="col" class="date">Modified (UTC)</th><th scope="col" class="size">Size</th><th scope="col" class="hash">CID</th></tr></thead>
<tbody>
${parent}`
}

function searchForm(base: string, search: string | undefined): string {
  const all = search === undefined ? '' : `<a class="button" href="${escapeHtml(base)}/">Show all</a>`
  return `<form role="search"><label for="search">Find in this folder</label><input type="search" id="search" name="search" maxlength="${LONGEST_SEARCH}" autocomplete="off" spellcheck="false" value="${escapeAttribute(search ?? '')}"><button class="button main">Find</button>${all}</form>\n`
}

function bottom(rows: EntryRows, search: string | undefined): string {
  return `</tbody>\n</table>\n${told(rows, search)}</main>\n${PAGE_END}`
}

/** What there is to say below the entries. */
function told({ shown, searched, isOver }: EntryRows, search: string | undefined): string {
  if (search === undefined) return shown === 0 ? '<p class="found">This folder is empty.</p>\n' : ''
  const names = `${searched.toLocaleString('en')} ${searched === 1 ? 'name' : 'names'}`
  const text = `<q>${escapeHtml(search)}</q>`
  const found = `${shown === 0 ? 'None' : shown.toLocaleString('en')} of ${isOver ? 'the first ' : ''}${names} ${shown === 1 ? 'has' : 'have'} ${text} in it.`
  const more = isOver ? ' The rest was not looked at: search for more of the name, or open the entry by its whole name.' : ''
  return `<p class="found" role="status">${found}${more}</p>\n`
}

/** The path, each part of it a link. */
export function breadcrumbs({ path, site }: ContentRequest): string {
  const { dnsLink, linkBase } = site
  const namespace = path.namespace
  const root = dnsLink === undefined ? `${linkBase}/${namespace}/${escapedSegment(path.root)}` : `//${dnsLink}`
  let href = dnsLink === undefined ? root : `${root}/`
  let text = `/${namespace}/${link(href, path.root)}`
  href = root
  for (const segment of path.segments) {
    // a path of thousands of segments has no link for each: they would grow with its square
    if (href.length < LONGEST) href += `/${escapedSegment(segment)}`
    text += `/${href.length < LONGEST ? link(href, segment) : escapeHtml(segment.toWellFormed())}`
  }
  return text
}
