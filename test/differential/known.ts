import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Answer, Request } from './request.ts'

/** A difference that docs/compatibility.md names. */
interface Known {
  readonly path: string
  /** A text that the query has in it, `name=value`; every query where it is left out. */
  readonly query?: string
  /** What may differ. */
  readonly differs: ReadonlyArray<'status' | 'headers' | 'body'>
  /** A text that one of the answers has in it, where the difference is only that. */
  readonly says?: string
  readonly why: string
}

const file = new URL('../../../test/differential/known.json', import.meta.url)
const known = JSON.parse(readFileSync(fileURLToPath(file), 'utf8')) as readonly Known[]

/** What of two answers differs, but for what is known. */
export function differences(request: Request, one: Answer, other: Answer): string[] {
  const query = request.query.map(([name, value]) => `${name}=${value}`)
  const texts = [JSON.stringify(one), JSON.stringify(other)]
  const allowed = known.filter(
    ({ path, query: wanted, says }) =>
      path === request.path &&
      (wanted === undefined || query.includes(wanted)) &&
      (says === undefined || texts.some(text => text.includes(says)))
  )
  return (['status', 'headers', 'body'] as const).filter(
    part => JSON.stringify(one[part]) !== JSON.stringify(other[part]) && !allowed.some(({ differs }) => differs.includes(part))
  )
}
