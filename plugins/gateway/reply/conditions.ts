import type { IncomingMessage } from 'node:http'

const TAG = /^[\s,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")/

/** Whether `If-None-Match` names one of these, strong or weak: the client has the answer already. */
export function hasAlready({ headers }: IncomingMessage, etags: readonly string[]): boolean {
  const list = headers['if-none-match']
  if (list === undefined) return false
  return list.trim() === '*' || tagsIn(list).some(tag => etags.some(etag => weak(etag) === weak(tag)))
}

/** Whether a request asks for another version of what there is (`If-Match`, `If-Unmodified-Since`): it is answered 412. */
export function failsPrecondition({ headers }: IncomingMessage, etag: string, modified: Date | undefined): boolean {
  const list = headers['if-match']
  if (list !== undefined) return list.trim() !== '*' && !(isStrong(etag) && tagsIn(list).includes(etag))
  const since = dateOf(headers['if-unmodified-since'])
  return modified !== undefined && since !== undefined && seconds(modified) > since
}

/** Whether nothing has changed since the client asked last (`If-Modified-Since`, where no `If-None-Match` comes with it). */
export function isUnmodified({ headers }: IncomingMessage, modified: Date | undefined): boolean {
  if (modified === undefined || headers['if-none-match'] !== undefined) return false
  const since = dateOf(headers['if-modified-since'])
  return since !== undefined && seconds(modified) <= since
}

/** Whether a range may be taken of what there is (`If-Range`). */
export function mayTakeRange({ headers }: IncomingMessage, etag: string, modified: Date | undefined): boolean {
  const wanted = headers['if-range']
  if (wanted === undefined) return true
  const [tag] = tagsIn(String(wanted))
  if (tag !== undefined) return isStrong(etag) && tag === etag
  const date = dateOf(String(wanted))
  return date !== undefined && modified !== undefined && seconds(modified) === date
}

/** The tags of a list, up to what is none. */
function tagsIn(list: string): string[] {
  const tags: string[] = []
  for (let unread = list; ; ) {
    const found = TAG.exec(unread)
    if (found === null) return tags
    tags.push(found[1]!)
    unread = unread.slice(found[0].length)
  }
}

const isStrong = (etag: string) => !etag.startsWith('W/')
const weak = (etag: string) => (isStrong(etag) ? etag : etag.slice(2))
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

function dateOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}
