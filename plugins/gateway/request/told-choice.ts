import type { ContentRequest } from './content.ts'
import { canonicalEscapes } from './target.ts'

/** Tells caches where `Accept` chose the form and the URL does not say it, and by which URL alone the same can be had: they keep it apart. */
export function tellChoice({ reply, choice, site }: ContentRequest): void {
  if (choice.format === 'default' || choice.isInUrl) return
  const parameters = [...choice.parameters]
    .filter(([name]) => LOCATED.has(name))
    .map(([name, value]) => `car-${name}=${encodeURIComponent(value)}`)
  // a form that nobody knows would come before the one that is told
  const asked = site.rawQuery.replace(FORMAT, '$1').replace(/&&+/g, '&').replace(/^&|&$/g, '')
  const said = [...(asked === '' ? [] : [asked]), `format=${choice.format}`, ...(choice.format === 'car' ? parameters : [])]
  reply.varyByAccept().set('Content-Location', `${site.rawPath}?${canonicalEscapes(said.join('&'))}`)
}

const LOCATED = new Set(['version', 'order', 'dups'])

/** Pairs of a query that are the form that is asked for, perhaps with its name in escapes. */
const FORMAT = /(^|&)(?:f|%66)(?:o|%6[fF])(?:r|%72)(?:m|%6[dD])(?:a|%61)(?:t|%74)(?:=[^&]*)?(?=&|$)/g
