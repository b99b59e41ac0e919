import type { CID } from 'multiformats/cid'
import { parseCid } from '../cid/parse.ts'
import { messageOf } from '../errors.ts'
import { cleanPath } from '../go/path.ts'
import { goQuote } from '../go/quote.ts'
import { pathErrors } from './errors.ts'

/** `ipfs` paths see files and directories, `ipld` paths the data model, `ipns` paths start at a name. */
export type Namespace = 'ipfs' | 'ipld' | 'ipns'

/** A content path, cleaned. */
export interface ContentPath {
  readonly namespace: Namespace
  /** The segment after the namespace: a CID's text, or a name. */
  readonly root: string
  /** The root, where it is a CID: always, but for `ipns`. */
  readonly cid?: CID
  /** The segments behind the root. */
  readonly segments: readonly string[]
  /** The whole path, a slash at the end kept: `/ipfs/Qm…/a/`. */
  readonly text: string
}

/**
 * A path that says its namespace: `/ipfs/Qm…/a`. Cleaned as a file system's: `//`, `.` and `..` are resolved first.
 * (Kubo 0.28, boxo/path)
 *
 * @param parse - reads the root
 * @throws E_PATH_INVALID
 */
export function parseAbsolutePath(text: string, parse: (text: string) => CID = parseCid): ContentPath {
  const cleaned = cleanPath(text)
  const [first, namespace = '', root = '', ...segments] = cleaned.split('/')
  if (first !== '' || root === '') throw pathErrors.E_PATH_INVALID(text, 'path does not have enough components')
  const path = { root, segments, text: text.endsWith('/') ? `${cleaned}/` : cleaned }
  switch (namespace) {
    case 'ipns':
      return { namespace, ...path }
    case 'ipfs':
    case 'ipld':
      return { namespace, ...path, cid: rootCid(root, text, parse) }
  }
  throw pathErrors.E_PATH_INVALID(text, `unknown namespace: ${goQuote(namespace)}`)
}

function rootCid(root: string, text: string, parse: (text: string) => CID): CID {
  try {
    return parse(root)
  } catch (error) {
    throw pathErrors.E_PATH_INVALID(text, messageOf(error))
  }
}

/**
 * The forms in which a person may name content: a path with its namespace, or a CID with or without a path after it (`Qm…`, `bafy…/a/b`),
 * which means the one under `/ipfs/`. When it is neither, the complaint is about the first.
 *
 * @throws E_PATH_INVALID
 */
export function parseContentPath(text: string): ContentPath {
  if (!text.startsWith('/')) return attempt(`/ipfs/${text}`) ?? parseAbsolutePath(text)
  try {
    return parseAbsolutePath(text)
  } catch (error) {
    const path = attempt(`/ipfs/${text}`)
    if (path === undefined) throw error
    return path
  }
}

function attempt(text: string): ContentPath | undefined {
  try {
    return parseAbsolutePath(text)
  } catch {
    return undefined
  }
}
