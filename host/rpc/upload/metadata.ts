import { parseInteger } from '../../../core/go/number.ts'
import { parseQuery } from '../../../core/go/query.ts'
import { modeOfGo } from '../../../core/unixfs/go-mode.ts'
import { type Metadata, storedMode, storedMtime } from '../../../core/unixfs/metadata.ts'
import type { HeaderFields } from './header.ts'
import { parseMediaType } from './media-type.ts'

/** The metadata that a part tells of its file, as a query behind the name of its field: `file?mode=0640&mtime=1600000000&mtime-nsecs=5` (boxo 0.40, files). */
export function partMetadata(header: HeaderFields): Metadata | undefined {
  const disposition = header['content-disposition']
  // most parts have none
  if (disposition === undefined || !disposition.includes('?')) return undefined
  const { type, parameters } = parseMediaType(disposition)
  const name = parameters.get('name') ?? ''
  const start = name.indexOf('?')
  if (type !== 'form-data' || start < 0) return undefined
  const query = name.slice(start + 1)
  const pairs = parseQuery(query)
  // one that cannot be read is ignored whole
  if (pairs.length !== query.split('&').filter(pair => pair !== '').length) return undefined
  const fields = new Map(pairs.reverse())
  const mtime = integer(fields.get('mtime') ?? '0', 10)
  const nanoseconds = integer(fields.get('mtime-nsecs') ?? '0', 10)
  const mode = integer(fields.get('mode') ?? '', 8)
  return {
    mode: mode === undefined || mode < 0n || mode > 0xffff_ffffn ? undefined : storedMode(modeOfGo(Number(mode))),
    mtime: mtime === undefined ? undefined : storedMtime(mtime, nanoseconds ?? 0n)
  }
}

function integer(text: string, base: number): bigint | undefined {
  try {
    return parseInteger(text, 64, true, base)
  } catch {
    return undefined
  }
}
