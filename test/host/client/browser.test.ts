import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import type { Json } from '../../../core/index.ts'
import { createClient, type Fetch } from '../../../host/client/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { all as fakes } from '../rpc/support/commands.ts'
import { openTestRpc } from '../rpc/support/rpc.ts'
import { failureOf } from './node.ts'

const entry = fileURLToPath(new URL('../../../host/client/index.js', import.meta.url))

/** What a page or a worker has, and nothing of Node. */
const WEB = {
  AbortController,
  AbortSignal,
  Blob,
  File,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  fetch,
  setTimeout
}

async function bundle() {
  return build({
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'holdfast',
    write: false,
    metafile: true,
    minify: true
  })
}

/** The bundle in a context of its own. @returns what `source`, the body of an async function, answers as JSON */
async function inPage(code: string, source: string, given: Record<string, unknown>): Promise<unknown> {
  const context = createContext({ ...WEB, given })
  runInContext(code, context)
  return JSON.parse((await runInContext(`(async () => { ${source} })().then(answer => JSON.stringify(answer))`, context)) as string)
}

test('the client bundles for browsers: small, and with nothing of Node in it', async t => {
  const { outputFiles, metafile } = await bundle()
  t.deepEqual(
    Object.keys(metafile.inputs).filter(input => isBuiltin(input) || input.includes('node_modules') || input.includes('http-transport')),
    []
  )
  t.deepEqual(
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
    []
  )
  t.true(outputFiles[0]!.contents.length < 40_000, `${outputFiles[0]!.contents.length} bytes`)
})

async function page(t: ExecutionContext) {
  const rpc = await openTestRpc(t, { commands: fakes })
  const { outputFiles } = await bundle()
  return (source: string) => inPage(outputFiles[0]!.text, source, { url: rpc.url })
}

test('the bundle calls a node from where there are web globals alone', async t => {
  const run = await page(t)
  t.deepEqual(
    await run(`
      const client = holdfast.createClient({ url: given.url })
      const numbers = []
      for await (const { N } of await client.callAny('count', { options: { count: 3 } })) numbers.push(N)
      const parts = []
      const body = [new File(['chosen'], 'a b.txt'), { path: 'd/bytes', content: new Uint8Array([104, 105]) }, { path: 'empty' }]
      for await (const part of await client.callAny('parts', { body, options: { read: true } })) parts.push(part)
      const error = await client.callAny('one', { options: { fail: 'no' } }).catch(error => [error instanceof holdfast.RpcError, error.code, error.message])
      return [await client.callAny('one'), numbers, parts, error, typeof process, typeof Buffer]
    `),
    [
      { Text: '<&>\u2028é', Nothing: null },
      [0, 1, 2],
      [
        { Path: '/a b.txt', Kind: 'file', Data: 'chosen' },
        { Path: '/d/bytes', Kind: 'file', Data: 'hi' },
        { Path: '/empty', Kind: 'directory', Data: '' }
      ],
      [true, 'E_CLIENT_FAILED', 'no'],
      'undefined',
      'undefined'
    ]
  )
})

test('in a page a broken answer is an error, and a call can be aborted', async t => {
  const run = await page(t)
  t.deepEqual(
    await run(`
      const client = holdfast.createClient({ url: given.url })
      const failed = async work => { try { await work() } catch (error) { return error.code } }
      const read = async (options, signal) => { for await (const item of await client.callAny('count', { options, signal })) void item }
      const controller = new AbortController()
      return [
        await failed(() => read({ count: 3, fail: 2, slow: true })),
        await failed(() => read({}, AbortSignal.abort())),
        await failed(async () => {
          for await (const item of await client.callAny('count', { options: { count: 1000000, slow: true }, signal: controller.signal })) controller.abort()
        })
      ]
    `),
    ['E_CLIENT_CUT_OFF', 'E_CLIENT_ABORTED', 'E_CLIENT_ABORTED']
  )
})

test('a page from elsewhere gets in by the setting that docs/clients.md names', async t => {
  const text = await readFile(fileURLToPath(new URL('../../../../docs/clients.md', import.meta.url)), 'utf8')
  const { API } = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)![1]!) as { API: { HTTPHeaders: Record<string, Json> } }
  const rpc = await openTestRpc(t, { commands: fakes, config: { 'API.HTTPHeaders': API.HTTPHeaders } })
  const from = (origin: string) => {
    const seen: Headers[] = []
    const browser: Fetch = async (url, init) => {
      const headers = { ...(init.headers as object), origin, 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'cross-site' }
      const response = await fetch(url, { ...init, headers })
      seen.push(response.headers)
      return response
    }
    return { seen, client: createClient<Record<never, never>>({ url: rpc.url, fetch: browser }) }
  }
  const listed = from('https://app.example')
  t.deepEqual(await itemsOf(await listed.client.callAny('count', { options: { count: 2 } })), [{ N: 0 }, { N: 1 }])
  t.is(listed.seen[0]!.get('access-control-allow-origin'), 'https://app.example')
  t.regex(listed.seen[0]!.get('access-control-expose-headers')!, /X-Stream-Output, X-Chunked-Output/)
  const other = from('https://other.example')
  t.like(await failureOf(t, () => other.client.callAny('count')), { code: 'E_CLIENT_FORBIDDEN', status: 403 })
})
