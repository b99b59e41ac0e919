/** Statuses of what goes wrong, as text and as pages, and the fields that every answer has. */
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { RAW } from '../../../../core/cid/index.ts'
import { Denylist, defineErrors, Exchange, ready } from '../../../../core/index.ts'
import { content, MISSING } from './content.ts'
import { asked, hold, type Row, type Setting } from './table.ts'

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'access-control-expose-headers': 'Content-Length, Content-Range, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output',
  'access-control-allow-credentials': undefined,
  'access-control-max-age': undefined
}
const html = { accept: 'text/html,application/xhtml+xml' }
const preflight = { origin: 'https://a.example', 'access-control-request-method': 'PUT', 'access-control-request-headers': 'X-Mine' }

/** An error's status, its path, and its text. */
const ERRORS: ReadonlyArray<
  readonly [status: number, reason: string, path: string, text: string | RegExp, headers?: Record<string, string>]
> = [
  [400, 'Bad Request', '/ipfs/x', 'invalid path "/ipfs/x": invalid cid: cid too short\n'],
  [400, 'Bad Request', '/ipfs/{A}?format=car&dag-scope=x', /dag-scope URL parameter: "x"\n$/],
  [404, 'Not Found', '/ipfs/{SITE}/none', 'failed to resolve /ipfs/{SITE}/none: no link named "none" under {SITE}\n'],
  [404, 'Not Found', '/ipfs/{SITE}/a.txt/x', 'failed to resolve /ipfs/{SITE}/a.txt/x: no link named "x" under {A}\n'],
  [406, 'Not Acceptable', '/ipfs/{A}?format=dag-json', /codec conversion is not supported/],
  [410, 'Gone', '/ipfs/{DOCS}/x.txt', /blocked and cannot be provided/],
  [422, 'Unprocessable Entity', '/ipfs/{SITE}/bad/', /file isn't a regular file\n$/],
  [429, 'Too Many Requests', '/ipfs/{MISSING}', /^\S.*upstream is busy\n$/],
  [500, 'Internal Server Error', '/ipns/QmInvalid', /^failed to resolve \/ipns\/QmInvalid: /],
  [501, 'Not Implemented', '/ipfs/{DAGCBOR}/map', /is not implemented: try reading "\/ipfs\/{DAGCBOR}" instead\n$/],
  [503, 'Service Unavailable', '/ipfs/{AWAY}', /upstream is away\n$/],
  [
    504,
    'Gateway Timeout',
    '/ipfs/{SILENT}',
    /^Unable to retrieve content within timeout period: the block {SILENT} did not come within 50 ms/
  ]
]

const ROWS: readonly Row[] = [
  ...ERRORS.flatMap(([status, reason, path, text]): Row[] => [
    {
      title: `${status} of ${path} as text`,
      path,
      status,
      text,
      fields: {
        ...CORS,
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        etag: undefined,
        'accept-ranges': undefined
      }
    },
    {
      title: `${status} of ${path} as a page`,
      path,
      headers: html,
      status,
      text: new RegExp(`<h1>${status} ${reason}</h1>\n<p>[A-Z][\\s\\S]*<pre>`),
      fields: { ...CORS, 'content-type': 'text/html', vary: 'Accept' }
    }
  ]),
  ...(
    [
      ['/ipfs/{A}', 200],
      ['/ipfs/{SITE}', 301],
      ['/ipfs/nope', 400],
      ['/nowhere', 404],
      ['/ipfs/{SITE}/docs/', 200],
      ['/ipfs/{A}?format=car', 200]
    ] as const
  ).map(([path, status]): Row => ({ title: `what any page may ask (${path})`, path, headers: preflight, status, fields: CORS })),
  { title: 'what any page may ask, by OPTIONS', method: 'OPTIONS', path: '/ipfs/{A}', headers: preflight, status: 200, fields: CORS },
  {
    title: 'upstream that is busy says when to come back',
    path: '/ipfs/{MISSING}',
    status: 429,
    fields: { 'retry-after': '1', 'cache-control': undefined }
  },
  asked('a path that is not mounted is text for a browser, too', '/nowhere', html, 404, { text: '404 page not found\n' }),
  {
    title: 'an error names nothing that a terminal would run',
    path: '/ipfs/{SITE}/%1B%5B31m%C5%BC',
    status: 404,
    text: /\/\\u001b\[31m\\u017c: no link named/
  },
  asked('a page holds no HTML of others', '/ipfs/{SITE}/%3Cimg%20src=x%3E', html, 404, {
    text: /^(?![\s\S]*<img)[\s\S]*&lt;img src=x&gt;/
  }),
  ...['ipfs', 'net'].flatMap((namespace): Row[] => [
    asked(`a service worker over /${namespace}/`, `/${namespace}/{SITE}`, { 'service-worker': 'script' }, 400, {
      text: 'navigator.serviceWorker: registration is not allowed for this scope\n'
    }),
    asked(`with a query (/${namespace}/)`, `/${namespace}/{SITE}?x=/y/z`, { 'service-worker': 'script' }, 400),
    asked(
      `by a slash that is escaped, which counts for no scope (/${namespace}/)`,
      `/${namespace}/{SITE}%2Fa.txt`,
      { 'service-worker': 'script' },
      400
    ),
    asked(`below it is allowed (/${namespace}/)`, `/${namespace}/{SITE}/a.txt`, { 'service-worker': 'script' }, 200)
  ]),
  asked('a service worker over a name', '/ipns/example.com', { 'service-worker': 'script' }, 400),
  asked('any other Service-Worker is none', '/ipfs/{A}', { 'service-worker': 'x' }, 200)
]

const AWAY = String(CID.createV1(RAW, await sha256.digest(Buffer.from('away'))))
const SILENT = String(CID.createV1(RAW, await sha256.digest(Buffer.from('silent'))))

const errors = defineErrors({
  E_TEST_BUSY: { wire: 'rateLimited', message: () => 'upstream is busy' },
  E_TEST_AWAY: { http: () => ({ status: 503 }), message: () => 'upstream is away' }
})

/** A network that is busy, away, or silent. */
const exchange = {
  get(cid: CID, options?: { signal?: AbortSignal }): Promise<never> {
    if (String(cid) === MISSING) return Promise.reject(errors.E_TEST_BUSY())
    if (String(cid) === AWAY) return Promise.reject(errors.E_TEST_AWAY())
    return new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(options.signal!.reason), { once: true }))
  }
}

async function failing(t: Parameters<typeof content>[0]): Promise<Setting> {
  const { names } = await content(t)
  const denylist: Denylist = {
    coversCalls: false,
    ofBlock: async () => undefined,
    ofPath: async path => (path.namespace === 'ipfs' && String(path.root) === names['DOCS'] ? { status: 410 } : undefined)
  }
  const made = await content(t, { settings: { retrievalTimeoutMs: 50 }, services: [ready(Exchange, exchange), ready(Denylist, denylist)] })
  return { at: made.at, names: { ...made.names, AWAY, SILENT } }
}

hold('errors', failing, ROWS)
