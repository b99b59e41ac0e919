import { percentDecoded } from '../../../core/go/index.ts'
import type { ContentRequest } from './content.ts'
import { canonicalEscapes } from './target.ts'

/** Tells caches where `Accept` chose the form and the URL does not say it, and by which URL alone the same can be had: they keep it apart. */
export function tellChoice({ reply, choice, site }: ContentRequest): void {
  if (choice.format === 'default' || choice.isInUrl) return
  const parameters = [...choice.parameters]
    .filter(([name]) => LOCATED.has(name))
    .map(([name, value]) => `car-${name}=${encodeURIComponent(value)}`)
  // a form that nobody knows would come before the one that is told
  const asked = site.rawQuery.split('&').filter(pair => pair !== '' && !isFormat(pair))
  const said = [...asked, `format=${choice.format}`, ...(choice.format === 'car' ? parameters : [])]
  reply.varyByAccept().set('Content-Location', `${site.rawPath}?${canonicalEscapes(said.join('&'))}`)
}

const LOCATED = new Set(['version', 'order', 'dups'])

/** Whether a pair of a query is the form that is asked for, perhaps with its name in escapes. */
function isFormat(pair: string): boolean {
  const cut = pair.indexOf('=')
  const key = cut < 0 ? pair : pair.slice(0, cut)
  return key === 'format' || (key.length <= LONGEST_NAME && key.includes('%') && percentDecoded(key) === 'format')
}

/** The length of `format` in escapes. */
const LONGEST_NAME = 18
