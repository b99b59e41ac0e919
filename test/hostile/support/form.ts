import type { Attack, Expected } from './attack.ts'

const KIB = 1024
/** The header line of a file in a form. */
export const FILE = 'Content-Disposition: form-data; name="file"; filename="a"'
/** Header fields of a form. */
const TYPE = { 'Content-Type': 'multipart/form-data; boundary=e' }

/** `piece` so many times, as a body that is made while it is sent. */
export async function* body(first: string, piece: string, times: number, last: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(first)
  const most = Math.max(1, Math.floor((64 * KIB) / piece.length))
  for (let left = times; left > 0; left -= most) yield Buffer.from(piece.repeat(Math.min(left, most)))
  yield Buffer.from(last)
}

/** An upload of one file that says `piece` so many times. */
export function upload(piece: string, times: number, first = ''): AsyncIterable<Uint8Array> {
  return body(`--e\r\n${FILE}\r\n\r\n${first}`, piece, times, '\r\n--e--\r\n')
}

/** An upload to `add`, made while it is sent. */
export function sent(name: string, make: () => AsyncIterable<Uint8Array>, expect: Expected, path = 'add?pin=false&quieter=true'): Attack {
  return { name, make: () => [{ path, headers: TYPE, body: make(), expect }] }
}
