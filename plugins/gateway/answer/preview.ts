import { cidToString, codecName } from '../../../core/cid/index.ts'
import { type Node, plain } from '../../../core/dag/index.ts'
import { CID } from '../../../core/index.ts'
import type { GatewayServices } from '../answers.ts'
import { escapeHtml } from '../pages/escape.ts'
import { PAGE_END, pageHead } from '../pages/frame.ts'
import type { ContentRequest } from '../request/content.ts'
import { breadcrumbs } from './listing.ts'

/** A block that a browser is shown. */
interface Shown {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly etag: string
}

/** Values that are written out, and how deep; the rest is told to be there. */
const MOST_VALUES = 2000
const DEEPEST = 32

/** Shows a browser the values of a block, with links to what it links to. */
export function preview(request: ContentRequest, { cid, bytes, etag }: Shown, { dag, settings }: GatewayServices): void {
  const { reply, path, site } = request
  const query = site.rawQuery === '' ? '' : `?${site.rawQuery}`
  if (!path.text.endsWith('/')) {
    reply.redirect(301, `${site.rawPath}/${query}`)
    return
  }
  reply.set('Content-Type', 'text/html').set('Etag', etag).set('X-Content-Type-Options', 'nosniff')
  if (request.pageCacheControl !== undefined) reply.set('Cache-Control', request.pageCacheControl)
  const isSmall = bytes.length <= settings.limits.previewBytes
  const values = isSmall
    ? new Values(request).write(dag.codec(cid.code).decode(bytes), 0)
    : `<p>The block has ${bytes.length} bytes, too many to be shown here.</p>`
  reply.page(200, page(request, cid, values))
}

function page(request: ContentRequest, cid: CID, values: string): string {
  const codec = codecName(cid.code)
  const text = cidToString(cid)
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

  constructor({ site }: ContentRequest) {
    this.#linkBase = site.linkBase
  }

  write(node: Node, depth: number): string {
    if (this.#left-- <= 0 || depth > DEEPEST) return '…'
    const value = plain(node)
    if (CID.asCID(value) !== null) return this.#link(value as CID)
    if (value instanceof Map)
      return this.#entries(
        [...value].map(([key, item]) => [String(key), item]),
        depth
      )
    if (Array.isArray(value))
      return this.#entries(
        value.map((item, i) => [String(i), item]),
        depth
      )
    if (value instanceof Uint8Array)
      return `<code>${Buffer.from(value.buffer, value.byteOffset, Math.min(value.length, 256)).toString('hex')}${value.length > 256 ? '…' : ''}</code>`
    return `<code>${escapeHtml((typeof value === 'string' ? JSON.stringify(value) : String(value)).toWellFormed())}</code>`
  }

  #link(cid: CID): string {
    const text = cidToString(cid)
    return `<a href="${escapeHtml(`${this.#linkBase}/ipfs/${text}`)}">${text}</a>`
  }

  #entries(entries: ReadonlyArray<readonly [string, Node]>, depth: number): string {
    const rows: string[] = []
    for (const [key, item] of entries) {
      if (this.#left <= 0) {
        rows.push('<dt>…</dt><dd>…</dd>')
        break
      }
      rows.push(`<dt>${escapeHtml(key.toWellFormed())}</dt><dd>${this.write(item, depth + 1)}</dd>`)
    }
    return `<dl>${rows.join('\n')}</dl>`
  }
}
