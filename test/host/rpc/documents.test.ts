import test from 'ava'
import type { OpenApiDocument } from '../../../host/openapi/types.ts'
import { third } from '../../helpers/declared.ts'
import { all } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'

test('GET /openapi.json tells what this node serves, third parties included, and what is off', async t => {
  const rpc = await openTestRpc(t, { commands: all, plugins: [third], configuration: { commands: { 'acme/tree': 'off' } } })
  const response = await fetch(`${rpc.url}/openapi.json`)
  t.is(response.status, 200)
  t.is(response.headers.get('content-type'), 'application/json')
  const document = (await response.json()) as OpenApiDocument
  t.is(document.openapi, '3.1.0')
  const served = rpc.host.commands().filter(({ local }) => !local)
  t.deepEqual(Object.keys(document.paths).sort(), served.map(({ path }) => `/api/v0/${path}`).sort())
  t.true('/api/v0/acme/everything' in document.paths)
  t.deepEqual(document['x-switched-off'], rpc.host.switchedOff())
  t.is(rpc.host.switchedOff()[0]!.path, 'acme/tree')
})

test('the document is for GET and HEAD, and not for pages of other sites', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const head = await fetch(`${rpc.url}/openapi.json`, { method: 'HEAD' })
  t.is(head.status, 200)
  t.true(Number(head.headers.get('content-length')) > 1000)
  const posted = await fetch(`${rpc.url}/openapi.json`, { method: 'POST' })
  t.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  const foreign = await fetch(`${rpc.url}/openapi.json`, { headers: { 'sec-fetch-site': 'cross-site' } })
  t.is(foreign.status, 403)
})

test('the answers of a third party fit the document', async t => {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const rpc = await openTestRpc(t, { plugins: [third] })
  const document = (await (await fetch(`${rpc.url}/openapi.json`)).json()) as OpenApiDocument
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'openapi', components: document.components } as object)
  for (const [path, schema] of [
    ['acme/everything?arg=/', 'acme.everything'],
    ['acme/tree?count=1', 'acme.tree'],
    ['acme/either', 'acme.either'],
    ['acme/either?arg=&progress=false', 'acme.either']
  ] as const) {
    const answer: unknown = await (await rpc.post(path)).json()
    const check = ajv.compile({ $ref: `openapi#/components/schemas/${schema}` })
    t.true(check(answer), `${path}: ${ajv.errorsText(check.errors)}`)
  }
})
