import { createHash } from 'node:crypto'
import { pageHead } from '../pages/frame.ts'
import { LISTING_STYLE } from './listing.ts'
import { PREVIEW_STYLE } from './preview.ts'

/** The version of the pages' look: changes with the gateway's own part of them. */
const PAGES = createHash('sha256')
  .update(pageHead('', { style: LISTING_STYLE + PREVIEW_STYLE }))
  .update('2')
  .digest('base64url')
  .slice(0, 13)

export const dirIndexEtag = (cid: string) => `"DirIndex-${PAGES}_CID-${cid}"`
export const dagIndexEtag = (cid: string) => `"DagIndex-${PAGES}_CID-${cid}"`
