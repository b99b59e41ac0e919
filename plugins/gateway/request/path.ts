import { cidToString, isDasl, parseCid } from '../../../core/cid/index.ts'
import type { CID } from '../../../core/index.ts'
import { messageOf } from '../../../core/index.ts'
import { parseAbsolutePath } from '../../../core/path/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { PathCache } from './path-cache.ts'

/** The namespace before a root. `/net/{cid}` is another name of `/ipfs/{cid}`. */
export type PathNamespace = 'ipfs' | 'ipns' | 'net'

/** A path to content as somebody asked for it. */
export interface RequestedPath {
  readonly namespace: PathNamespace
  /** The text of a CID, or a name. */
  readonly root: string
  /** The root where it is a CID: always, but for `ipns`. */
  readonly cid: CID | undefined
  /** Decoded; without the root. */
  readonly segments: readonly string[]
  /** The whole, a slash at the end kept. */
  readonly text: string
}

export function isContentPath(path: string): boolean {
  return path.startsWith('/ipfs/') || path.startsWith('/ipns/') || path.startsWith('/net/')
}

/**
 * Reads a decoded path: `/ipfs/Qm…/a/`.
 *
 * @param cache - knows roots that were read before
 * @throws E_GATEWAY_PATH, E_GATEWAY_DOTS
 */
export function parsePath(text: string, cache?: PathCache): RequestedPath {
  const isNet = text.startsWith('/net/')
  const parsed = attempt(isNet ? `/ipfs/${text.slice('/net/'.length)}` : text, isNet, cache)
  if (holdsDots(text)) throw gatewayErrors.E_GATEWAY_DOTS(text)
  const { root, cid, segments } = parsed
  const namespace = isNet ? 'net' : (parsed.namespace as 'ipfs' | 'ipns')
  return { namespace, root, cid, segments, text: isNet ? `/net/${parsed.text.slice('/ipfs/'.length)}` : parsed.text }
}

const RASL = '/.well-known/rasl/'

export const isRaslPath = (path: string) => path.startsWith(RASL)

/**
 * The CID that a decoded path names to be served by RASL (dasl.ing/rasl.html), in the one form that DASL has for it.
 *
 * @throws E_GATEWAY_RASL
 */
export function raslCid(path: string): string {
  const text = path.slice(RASL.length)
  try {
    const cid = parseCid(text)
    if (isDasl(cid) && cidToString(cid) === text) return text
  } catch {
    // said below
  }
  throw gatewayErrors.E_GATEWAY_RASL(text)
}

function attempt(text: string, isNet: boolean, cache: PathCache | undefined) {
  try {
    return parseAbsolutePath(text, cache && (root => cache.root(root, parseCid)))
  } catch (error) {
    const why = messageOf(error)
    throw gatewayErrors.E_GATEWAY_PATH(isNet ? why.replace('"/ipfs/', '"/net/') : why)
  }
}

/** Whether a decoded path has segments that lead elsewhere. Those that were sent as they are, the listener has resolved. */
export function holdsDots(path: string): boolean {
  return path.includes('/.') && path.split('/').some(segment => segment === '.' || segment === '..')
}

/** A path as messages show it: what is no printable ASCII is escaped. */
export function printedPath(text: string): string {
  return text.replace(/[^ -~]/g, unit => {
    const code = unit.charCodeAt(0)
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
    return NAMED[unit] ?? `\\u${code.toString(16).padStart(4, '0')}`
  })
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
