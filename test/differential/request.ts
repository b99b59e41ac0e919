import { multipart } from '../hostile/support/http.ts'

/** One call of the RPC, as it can be written down. */
export interface Request {
  /** Below `/api/v0/`. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  /** The file of an upload, in base64. */
  readonly file?: string
}

/** What is compared of an answer. */
export interface Answer {
  readonly status: number
  /** Header fields that clients read, and the trailer that says what went wrong. */
  readonly headers: Readonly<Record<string, string | null>>
  /** JSON, line by line, where it is that; else its bytes in base64. */
  readonly body: unknown
}

const FIELDS = ['content-type', 'x-chunked-output', 'x-stream-output', 'x-content-length', 'trailer']
const BOUNDARY = 'edge-of-the-part'

/** @param url - of the RPC, `http://127.0.0.1:PORT/api/v0` */
export async function ask(url: string, { path, query, file }: Request): Promise<Answer> {
  const body = file === undefined ? null : multipart([Buffer.from(file, 'base64')], BOUNDARY)
  const response = await fetch(`${url}/${path}?${queryOf(query)}`, {
    method: 'POST',
    body,
    ...(body && { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } }),
    signal: AbortSignal.timeout(60_000)
  })
  const headers = Object.fromEntries(FIELDS.map(name => [name, response.headers.get(name)]))
  const bytes = await response.arrayBuffer().then(Buffer.from, () => Buffer.from('broken off'))
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers, body: isJson ? linesOf(bytes) : bytes.toString('base64') }
}

function queryOf(query: Request['query']): string {
  return query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
}

/** In the order of their texts: neither node promises one where there is more than one line. */
function linesOf(bytes: Buffer): unknown {
  const lines = bytes.toString().split('\n')
  try {
    return lines
      .filter(line => line !== '')
      .sort()
      .map(line => JSON.parse(line) as unknown)
  } catch {
    return bytes.toString('base64')
  }
}

/** The same call for a shell. */
export function curl({ path, query, file }: Request): string {
  const text = queryOf(query)
  const upload = file === undefined ? '' : `printf %s '${file}' | base64 -d | `
  return `${upload}curl -sX POST ${file === undefined ? '' : '-F file=@- '}"$api/${path}${text === '' ? '' : `?${text}`}"`
}
