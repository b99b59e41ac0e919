import { cidToString, codecName } from '../../../core/cid/index.ts'
import { type Node, plain } from '../../../core/dag/index.ts'
import { CID } from '../../../core/index.ts'
import { escapeHtml } from '../pages/escape.ts'
import { PAGE_END, pageHead } from '../pages/frame.ts'
import { inPieces } from '../pages/pieces.ts'
import { type ContentRequest, LONGEST_CID } from '../request/content.ts'
import { breadcrumbs } from './listing.ts'

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
  return reply.flow(200, inPieces(page(request, cid, values)))
}

function page(request: ContentRequest, cid: CID, values: string): string {
  const codec = codecName(cid.code)
  const text = request.nameOf(cid)
  const formats = ['raw', 'car', codec].map(format => `<a href="?format=${format}">${format}</a>`)
  return `${pageHead(request.path.text.toWellFormed())}<main>
<h1>${breadcrumbs(request)}</h1>
<dl><dt>CID</dt><dd>${text}</dd><dt>Codec</dt><dd>${codec} (0x${cid.code.toString(16)})</dd><dt>Download</dt><dd>${formats.join(' ')}</dd></dl>
${values}
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
    if (value instanceof Uint8Array) return `<code>${this.#hex(value)}</code>`
    return `<code>${typeof value === 'string' ? `&#34;${this.#shown(value)}&#34;` : this.#shown(String(value))}</code>`
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
