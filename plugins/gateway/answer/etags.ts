import { createHash } from 'node:crypto'
import { pageHead } from '../pages/frame.ts'

/** The version of the pages' look: changes with the gateway's own part of them. */
const PAGES = createHash('sha256').update(pageHead('')).update('1').digest('base64url').slice(0, 13)

export const dirIndexEtag = (cid: string) => `"DirIndex-${PAGES}_CID-${cid}"`
export const dagIndexEtag = (cid: string) => `"DagIndex-${PAGES}_CID-${cid}"`
