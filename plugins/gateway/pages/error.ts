import { STATUS_CODES } from 'node:http'
import { escapeHtml } from './escape.ts'
import { PAGE_END, pageHead } from './frame.ts'

/** What a status means to a person, and what that person can try. */
interface Advice {
  readonly meaning: string
  readonly tries?: readonly string[]
}

const LATER = 'Try again in a moment.'
const ELSEWHERE = 'Ask another gateway: the address means the same content everywhere.'

const ADVICE: Readonly<Record<number, Advice>> = {
  400: {
    meaning: 'The address is not one that content can have.',
    tries: ['Check it for a typing mistake: a CID is easily cut short.']
  },
  404: {
    meaning: 'This node does not have this content.',
    tries: [
      'Try again: a peer that has it may be there by then.',
      'If the node is offline, start it with its network, or import the content from a CAR.',
      ELSEWHERE
    ]
  },
  406: {
    meaning: 'The content is there, but not in the form that was asked for.',
    tries: ['Ask for the raw block (?format=raw) or a CAR (?format=car): both can always be had.']
  },
  410: { meaning: 'This gateway has been told not to serve this content.' },
  412: { meaning: 'The content is not stored on this node, and it was asked not to fetch it.' },
  416: { meaning: 'The file is shorter than the range that was asked for.' },
  422: { meaning: 'The folder has an index.html that is no file.', tries: ['Open a file of the folder by its own path.'] },
  429: { meaning: 'There are too many requests at the same time.', tries: ['Try again a little later.'] },
  500: {
    meaning: 'The content could not be read: it may be broken, or of a kind that this gateway does not know.',
    tries: [LATER, 'Get the block, and look at it with a program that knows its codec.']
  },
  501: { meaning: 'This gateway does not do that.' },
  502: { meaning: 'The peer that was asked gave no answer.', tries: [LATER] },
  503: { meaning: 'This node is offline.', tries: ['Start it with a network, and try again.', ELSEWHERE] },
  504: { meaning: 'No peer sent the content in time.', tries: ['Try again: it may be found by then.', ELSEWHERE] }
}

/** The advice for a path that its folder has no entry for. */
const NO_ENTRY: Advice = {
  meaning: 'Nothing is there under this path.',
  tries: ['Check the path, one segment after the other: capitals count.', 'Look for it in the folder above.']
}

/** Statuses of what may be there a moment later. */
const PASSING = new Set([404, 429, 500, 502, 503, 504])

const STYLE = `
body { max-width: 44rem; padding-top: min(12vh, 6rem) }
h1 { font-size: 1.75rem; letter-spacing: -.01em }
h1 + p { margin: .5rem 0 0; color: var(--quiet); font-size: 1.125rem }
ul { margin: 0; padding-left: 1.25rem }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.75rem }
.button { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
`

/** Where an error is shown: what there is to look at from there. */
export interface ErrorPlace {
  /** The request's target, as it was asked for. */
  readonly target: string
  /** The content path that it means; undefined where it means none. */
  readonly path: string | undefined
  /** Whether a folder has no entry of the name that stands in the path. */
  readonly hasNoEntry: boolean
}

export function errorPage(status: number, message: string, place: ErrorPlace): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const { meaning, tries = [] } = (place.hasNoEntry ? NO_ENTRY : ADVICE[status]) ?? {
    meaning: status < 500 ? 'The request cannot be answered.' : 'The gateway failed.'
  }
  const links = linksFrom(status, place)
  return `${pageHead(title, { style: STYLE })}<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(meaning)}</p>
<h2>Reason</h2>
<pre>${escapeHtml(message)}</pre>
${tries.length === 0 ? '' : `<h2>What to try</h2>\n<ul>${tries.map(text => `<li>${escapeHtml(text)}</li>`).join('')}</ul>\n`}${
  links.length === 0 ? '' : `<nav aria-label="What to try">${links.join('')}</nav>\n`
}</main>
${PAGE_END}`
}

const ROOT = /^\/ipfs\/([A-Za-z0-9]+)(?=[/?]|$)/
/** A path that goes on behind its root. */
const BELOW = /^\/(?:ipfs|ipns|net)\/[^/]+\/[^/]/

function linksFrom(status: number, { target, path, hasNoEntry }: ErrorPlace): string[] {
  const links = PASSING.has(status) ? [button('', 'Try again', true)] : []
  if (hasNoEntry && path !== undefined && BELOW.test(path))
    links.push(button(target.split('?', 1)[0]!.endsWith('/') ? '../' : './', 'Look at the folder above'))
  const block = status === 400 || status === 410 ? undefined : blockOf(target, path)
  if (block !== undefined) links.push(button(block.href, `Get the block <code>${block.cid}</code>`))
  return links
}

/** The block that a path begins at, which can be looked at by itself: of a site on a host of its own at its root. */
function blockOf(target: string, path = target): { href: string; cid: string } | undefined {
  const [root, cid] = ROOT.exec(path) ?? []
  if (root === undefined || cid === undefined) return undefined
  return { href: `${ROOT.exec(target)?.[1] === cid ? root : '/'}?format=raw`, cid }
}

/** @param html - its label */
const button = (href: string, html: string, isMain = false) => `<a class="button${isMain ? ' main' : ''}" href="${href}">${html}</a>`
