import { cidToString, codecName } from '../../../core/cid/index.ts'
import { type Node, plain } from '../../../core/dag/index.ts'
import { CID } from '../../../core/index.ts'
import { escapeHtml } from '../pages/escape.ts'
import { ABOUT_STYLE, about, PAGE_END, pageHead } from '../pages/frame.ts'
import { inPieces } from '../pages/pieces.ts'
import { type ContentRequest, LONGEST_CID } from '../request/content.ts'
import { formatSize } from './entries.ts'
import { breadcrumbs } from './listing.ts'

export const PREVIEW_STYLE = `${ABOUT_STYLE}
main dl:not(.about) { display: grid; grid-template-columns: fit-content(40%) 1fr; margin: 0; border: 1px solid var(--edge); border-radius: 8px; overflow: hidden }
main dl:not(.about) > * { margin: 0; border-top: 1px solid var(--edge); padding: .4rem .75rem }
main dl:not(.about) > dt { background: var(--soft); color: var(--quiet); font: .875rem/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
main dl:not(.about) > :first-child, main dl:not(.about) > :first-child + dd { border-top: 0 }
dd dd > dl { border-radius: 6px }
dd > a { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.text { color: var(--string) } .number { color: var(--number) } .bytes { color: var(--quiet) }
:root { --string: #1b6e43; --number: #8a3fb5 }
@media (prefers-color-scheme: dark) { :root { --string: #7fd3a5; --number: #cfa3f2 } }
@media (max-width: 40rem) { main dl:not(.about) { grid-template-columns: 1fr } main dl:not(.about) > dt { padding-bottom: 0; background: none } main dl:not(.about) > dd { border-top: 0; padding-top: 0 } }
`

/** A block that a browser is shown. */
interface Shown {
  readonly cid: CID
  readonly size: number
  /** The value; undefined where it is too large. */
  readonly value: Node | undefined
  readonly etag: string
}

/** Values that are written out, characters of all of them and of one, and how deep; the rest is told to be there. */
const MOST_VALUES = 2000
export const MOST_TEXT = 32_768
const LONGEST = 1024
const DEEPEST = 32

/** Shows a browser the values of a block, with links to what it links to. */
export function preview(request: ContentRequest, { cid, size, value, etag }: Shown): Promise<void> | void {
  const { reply, path, site } = request
  const query = site.rawQuery === '' ? '' : `?${site.rawQuery}`
  if (!path.text.endsWith('/')) return reply.redirect(301, `${site.rawPath}/${query}`)
  reply.set('Content-Type', 'text/html').set('Etag', etag).set('X-Content-Type-Options', 'nosniff')
  if (request.pageCacheControl !== undefined) reply.set('Cache-Control', request.pageCacheControl)
  const values =
    value === undefined ? `<p>The block has ${size} bytes, too many to be shown here.</p>` : new Values(request).write(value, 0)
  return reply.flow(200, inPieces(page(request, cid, { size, values })))
}

function page(request: ContentRequest, cid: CID, { size, values }: { size: number; values: string }): string {
  const codec = codecName(cid.code)
  const text = request.nameOf(cid)
  const formats = ['raw', 'car', codec].map(format => `<a href="?format=${format}">${format}</a>`)
  const facts = about([
    ['CID', text],
    ['Codec', `${codec} (0x${cid.code.toString(16)})`],
    ['Size', formatSize(BigInt(size))],
    ['Download', formats.join(' · ')]
  ])
  return `${pageHead(request.path.text.toWellFormed(), { style: PREVIEW_STYLE })}<header>
<nav aria-label="Path"><h1>${breadcrumbs(request)}</h1></nav>
</header>
<main>
${facts}${values}
</main>
${PAGE_END}`
}

/** Writes values as nested lists. */
class Values {
  readonly #linkBase: string
  #left = MOST_VALUES
  #text = MOST_TEXT

  constructor({ site }: ContentRequest) {
    this.#linkBase = site.linkBase
  }

  write(node: Node, depth: number): string {
    if (this.#left-- <= 0 || this.#text <= 0 || depth > DEEPEST) return '…'
    const value = plain(node)
    if (CID.asCID(value) !== null) return this.#link(value as CID)
    if (value instanceof Map) return this.#entries(value, depth)
    if (Array.isArray(value)) return this.#entries(value.entries(), depth)
    if (value instanceof Uint8Array) return `<code class="bytes">${this.#hex(value)}</code>`
    if (typeof value === 'string') return `<code class="text">&#34;${this.#shown(value)}&#34;</code>`
    return `<code class="number">${this.#shown(String(value))}</code>`
  }

  #link(cid: CID): string {
    // one that holds a block can be longer than any address
    if (cid.bytes.length > LONGEST_CID) return `<code>${this.#hex(cid.bytes)}</code>`
    const text = cidToString(cid)
    this.#text -= 2 * text.length
    return `<a href="${escapeHtml(`${this.#linkBase}/ipfs/${text}`)}">${text}</a>`
  }

  #entries(entries: Iterable<readonly [unknown, Node]>, depth: number): string {
    const rows: string[] = []
    for (const [key, item] of entries) {
      if (this.#left <= 0 || this.#text <= 0) {
        rows.push('<dt>…</dt><dd>…</dd>')
        break
      }
      rows.push(`<dt>${this.#shown(String(key))}</dt><dd>${this.write(item, depth + 1)}</dd>`)
    }
    return `<dl>${rows.join('\n')}</dl>`
  }

  /** Text as it stands in a page: escaped as in JSON, then as in HTML. */
  #shown(text: string): string {
    const cut = text.slice(0, LONGEST)
    this.#text -= cut.length
    return escapeHtml(JSON.stringify(cut).slice(1, -1).toWellFormed()) + (cut.length < text.length ? '…' : '')
  }

  #hex(bytes: Uint8Array): string {
    const cut = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 256))
    this.#text -= 2 * cut.length
    return cut.toString('hex') + (cut.length < bytes.length ? '…' : '')
  }
}
