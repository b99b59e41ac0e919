import { cidToString } from '../../../core/cid/index.ts'
import { encodeUtf8 } from '../../../core/go/index.ts'
import { cumulativeSize, type DirectoryLink, type DirectoryNode, listDirectory } from '../../../core/unixfs/index.ts'
import { escapeHtml } from '../pages/escape.ts'
import { PAGE_END, pageHead } from '../pages/frame.ts'
import { inPieces } from '../pages/pieces.ts'
import { type ContentRequest, LONGEST_CID } from '../request/content.ts'
import { canonicalEscapes } from '../request/target.ts'
import { HeldFolder } from './held-folder.ts'

/** A page that lists a folder, in pieces as its entries come: of a sharded one, shards load as the page is read. */
export function listing(request: ContentRequest, node: DirectoryNode): AsyncGenerator<Uint8Array> {
  const base = canonicalEscapes(request.site.rawPath.replace(/\/$/, ''))
  const { sources, options } = request
  const textOf = entryRow(request, base)
  // what runs for as long as somebody reads has no block of its own
  const rows =
    node.shard === undefined
      ? rowsOfBlock(new HeldFolder(node, sources, options), textOf)
      : rowsOfShards(listDirectory(node, sources, options, BATCH), textOf)
  return page(top(request, node, base), rows)
}

async function* page(top: string, rows: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  yield* inPieces(top.toWellFormed())
  for await (const some of rows) yield* inPieces(some.toWellFormed())
  yield* inPieces(`</table>\n</main>\n${PAGE_END}`)
}

async function* rowsOfBlock(folder: HeldFolder, textOf: (entry: DirectoryLink) => string): AsyncGenerator<string> {
  try {
    for (let rows = await folder.next(textOf, ROWS); rows !== undefined; rows = await folder.next(textOf, ROWS)) yield rows
  } finally {
    folder.close()
  }
}

async function* rowsOfShards(
  batches: AsyncIterable<readonly DirectoryLink[]>,
  textOf: (entry: DirectoryLink) => string
): AsyncGenerator<string> {
  for await (const entries of batches) {
    let rows = ''
    for (const [i, one] of entries.entries()) {
      rows += textOf(one)
      if (rows.length < ROWS && i < entries.length - 1) continue
      yield rows
      rows = ''
    }
  }
}

/** Entries of a sharded folder that are read at a time, and characters of rows that are put together: what is held for a reader that stops. */
const BATCH = 64
const ROWS = 16_000

/** Longest name that is shown whole, and whose entry can be asked for by its path, in characters. */
export const LONGEST = 2048

function top(request: ContentRequest, node: DirectoryNode, base: string): string {
  const { path } = request
  const cid = cidToString(node.cid)
  const isRoot = path.segments.length === 0
  const parent = isRoot ? '' : `<tr><td><a href="${escapeHtml(base)}/..">..</a></td><td class="hash"></td><td class="size"></td></tr>\n`
  return `${pageHead(path.text.toWellFormed())}<main>
<h1>Index of ${breadcrumbs(request)}</h1>
<dl><dt>CID</dt><dd>${cid}</dd><dt>Size</dt><dd>${formatSize(cumulativeSize(node.root))}</dd></dl>
<table>
${parent}`
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

const link = (href: string, text: string) => `<a href="${escapeHtml(href)}">${escapeHtml(text.toWellFormed())}</a>`

function entryRow({ site }: ContentRequest, base: string): (entry: DirectoryLink) => string {
  return ({ name, cid, size }) => {
    const number = formatSize(BigInt(size))
    // no address can be as long: a beginning of the name is shown
    if (name.length > LONGEST) {
      return `<tr><td>${escapeHtml(name.slice(0, LONGEST).toWellFormed())}…</td><td class="hash"></td><td class="size">${number}</td></tr>\n`
    }
    const escaped = escapedSegment(name)
    if (cid.bytes.length > LONGEST_CID) {
      return `<tr><td>${link(`${base}/${escaped}`, name)}</td><td class="hash"></td><td class="size">${number}</td></tr>\n`
    }
    const text = cidToString(cid)
    const short = `${text.slice(0, 4)}…${text.slice(-4)}`
    const hash =
      site.dnsLink === undefined
        ? `<a class="ipfs-hash" translate="no" href="${escapeHtml(`${site.linkBase}/ipfs/${text}?filename=${encodeURIComponent(escaped)}`)}">${short}</a>`
        : `<a class="ipfs-hash" translate="no" href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener">${short}</a>`
    return `<tr><td>${link(`${base}/${escaped}`, name)}</td><td class="hash">${hash}</td><td class="size">${number}</td></tr>\n`
  }
}

/** A name as one segment of a path: nothing in it ends or leads out of the segment. */
function escapedSegment(name: string): string {
  const escaped = encodeUtf8(name)
    .toString('latin1')
    .replace(/[^\w\-.~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
  return escaped === '.' || escaped === '..' ? escaped.replaceAll('.', '%2E') : escaped
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']

/** A number of bytes in SI units: `1.2 kB`. */
export function formatSize(size: bigint): string {
  if (size < 10n) return `${size < 0n ? 0 : size} B`
  let value = Number(size)
  let unit = 0
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  const rounded = Math.floor(value * 10 + 0.5) / 10
  return `${unit > 0 && rounded < 10 ? rounded.toFixed(1) : Math.round(rounded)} ${UNITS[unit]}`
}
