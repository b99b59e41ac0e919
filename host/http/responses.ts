import type { IncomingMessage, ServerResponse } from 'node:http'
import { watchEnd } from '../../core/callers/index.ts'
import type { Fields, RawFields } from './fields.ts'
import { closeAfter, isWhole } from './lingering-close.ts'

export const PLAIN: RawFields = ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff']

/** How long a client may take nothing of such an answer, in milliseconds; then its connection is broken off. */
export const STALLED_MS = 120_000

export const NOT_FOUND = '404 page not found\n'

/** Ends a request with one line of text, as Go's `http.Error` does: its own fields take the place of those that were set before. */
export function plain(request: IncomingMessage, response: ServerResponse, status: number, text: string, more: Fields = []): void {
  const others = more.filter(([name]) => !PLAIN.includes(name))
  send(request, response, status, [...others.flat(), ...PLAIN], text)
}

/** Ends a request with a whole body of known size. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  fields: RawFields,
  body: string | Uint8Array
): void {
  const whole = isWhole(request)
  const length = status === 204 ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...fields, ...length, ...(whole ? [] : ['Connection', 'close'])])
  if (!whole) closeAfter(request, response)
  response.end(request.method === 'HEAD' || status === 204 ? undefined : body)
  watchEnd(response, STALLED_MS)
}

/** Sends a caller elsewhere, as Go's `http.Redirect` does. */
export function redirect(request: IncomingMessage, response: ServerResponse, status: 301 | 302, to: string, more: RawFields = []): void {
  const { method } = request
  const html = method === 'GET' || method === 'HEAD' ? ['Content-Type', 'text/html; charset=utf-8'] : []
  const body = method === 'GET' ? `<a href="${escapeHtml(to)}">${status === 301 ? 'Moved Permanently' : 'Found'}</a>.\n\n` : ''
  const fields = [...more, ...html, 'Location', to]
  if (method !== 'HEAD') send(request, response, status, fields, body)
  else {
    response.writeHead(status, fields)
    response.end()
    watchEnd(response, STALLED_MS)
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

/** Text as Go's `html.EscapeString` and `xml.EscapeText` write it. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => ESCAPES[char]!)
}
