import { STATUS_CODES } from 'node:http'
import { escapeHtml } from './escape.ts'
import { PAGE_END, pageHead } from './frame.ts'

/** The advice for a person about a status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'The address is not one that content can have. Check it for a typing mistake: a CID is easily cut short.',
  404: 'Nothing is there under this path, or this node does not have it. Check the path, one segment after the other, or ask another gateway.',
  406: 'The content is there, but not in the form that was asked for. A raw block (?format=raw) or a CAR (?format=car) can always be had.',
  410: 'This gateway has been told not to serve this content.',
  412: 'The content is not stored on this node, and it was asked not to fetch it.',
  416: 'The file is shorter than the range that was asked for.',
  422: 'The folder has an index.html that is no file.',
  429: 'Too many requests at the same time. Try again a little later.',
  500: 'The content could not be read: it may be broken, or of a kind that this gateway does not know.',
  501: 'This gateway does not do that.',
  503: 'This node is offline.',
  504: 'No peer sent the content in time. Try again: it may be found by then.'
}

/** Statuses of what may be there a moment later. */
const PASSING = new Set([404, 429, 500, 503, 504])

const ROOT = /^\/ipfs\/([A-Za-z0-9]+)(?=[/?]|$)/

/** @param target - as it was asked for: its root is a block that can be looked at by itself */
export function errorPage(status: number, message: string, target: string): string {
  const [root, cid] = ROOT.exec(target) ?? []
  const links = [
    ...(PASSING.has(status) ? ['<a href="">Try again</a>'] : []),
    ...(cid === undefined || status === 400 || status === 410 ? [] : [`<a href="${root}?format=raw">Get the block <code>${cid}</code></a>`])
  ]
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const advice = ADVICE[status]
  return `${pageHead(title)}<main>
<h1>${escapeHtml(title)}</h1>
${advice === undefined ? '' : `<p>${escapeHtml(advice)}</p>\n`}<pre>${escapeHtml(message)}</pre>
${links.length === 0 ? '' : `<p>${links.join(' · ')}</p>\n`}</main>
${PAGE_END}`
}
