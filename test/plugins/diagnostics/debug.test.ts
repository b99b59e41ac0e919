import test, { type ExecutionContext } from 'ava'
import type { Json } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'
import { openNode, openNodeRpc } from './rpc.ts'

test('metrics tell what went over HTTP, by command and in all', async t => {
  const { host, url, post } = await openNode(t)
  await (await post('version')).text()
  await (await post('id?arg=nope')).text()
  await (await post('nope')).text()
  await (await post('cat?arg=bafkqaaa')).text()
  const response = await fetch(`${url}/debug/metrics/prometheus`)
  t.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8; escaping=values')
  const { value, types } = parsePrometheus(await response.text())
  t.is(value('holdfast_command_calls_total', { command: 'version' }), 1)
  t.is(value('holdfast_command_errors_total', { command: 'id' }), 1)
  t.true(value('holdfast_command_received_bytes_total', { command: 'version' })! > 20)
  t.true(value('holdfast_command_sent_bytes_total', { command: 'version' })! > 100)
  t.is(value('ipfs_http_requests_total', { handler: 'api', method: 'post', code: '200' }), 2)
  t.is(value('ipfs_http_requests_total', { handler: 'api', method: 'post', code: '404' }), 1)
  t.is(value('ipfs_http_requests_total', { handler: 'api', method: 'post', code: '500' }), 1)
  t.is(value('ipfs_http_request_duration_seconds_count', { handler: 'api' }), 4)
  t.is(value('ipfs_info', { version: '0.28.0', commit: `holdfast/${host.version}` }), 1)
  t.is(value('holdfast_store_blocks'), 1)
  t.is(types.get('ipfs_http_response_size_bytes'), 'summary')
  t.is((await fetch(`${url}/debug/metrics/oc`)).status, 200)
})

test('variables and stacks tell what runs', async t => {
  const { url, post } = await openNode(t)
  const tail = await post('log/tail?timeout=1h')
  const variables = (await (await fetch(`${url}/debug/vars`)).json()) as {
    active_calls: number
    memstats: { Sys: number }
    cmdline: string[]
  }
  t.is(variables.active_calls, 1)
  t.true(variables.memstats.Sys > 1e6)
  t.deepEqual(variables.cmdline, process.argv)
  const stack = await (await fetch(`${url}/debug/stack`)).text()
  t.regex(stack, /^running calls \[1\]:\n\t0 log\/tail since /)
  t.regex(stack, /\nhandles \[\d+\]:\n/)
  t.notRegex(stack, /environmentVariables/)
  await tail.body!.cancel()
})

test('of /logs the head can be had alone', async t => {
  const { url } = await openNode(t)
  const response = await fetch(`${url}/logs`, { method: 'HEAD' })
  t.is(response.status, 200)
  t.is(response.headers.get('content-type'), 'text/plain; charset=utf-8')
})

test('/logs follows the log', async t => {
  const { host, url } = await openNode(t)
  const response = await fetch(`${url}/logs`)
  host.logs.get('pins').error('here')
  const { value } = await response.body!.getReader().read()
  t.is(JSON.parse(new TextDecoder().decode(value)).msg, 'here')
})

test('pages of other sites are turned away, people and programs are not', async t => {
  const { url } = await openNode(t)
  const browser = 'Mozilla/5.0'
  const ask = async (headers: Record<string, string>) => (await fetch(`${url}/debug/vars`, { headers })).status
  t.is(await ask({}), 200)
  t.is(await ask({ Origin: url }), 200)
  t.is(await ask({ 'User-Agent': browser, 'Sec-Fetch-Site': 'none' }), 200)
  t.is(await ask({ 'User-Agent': browser, Referer: `${url}/debug/pprof/` }), 200)
  t.is(await ask({ Origin: 'http://evil.example' }), 403)
  t.is(await ask({ 'User-Agent': browser }), 403)
  t.is(await ask({ 'Sec-Fetch-Site': 'cross-site' }), 403)
  t.is(await ask({ 'User-Agent': browser, Referer: 'http://evil.example/', 'Sec-Fetch-Site': 'same-origin' }), 403)
})

async function withSecret(t: ExecutionContext) {
  const host = await testHost()
  t.teardown(() => host.stop())
  const config: Record<string, Json> = {
    'API.Authorizations': {
      all: { AuthSecret: 'bearer:open', AllowedPaths: ['/api/v0', '/debug', '/logs'] },
      rpc: { AuthSecret: 'bearer:rpc', AllowedPaths: ['/api/v0'] }
    }
  }
  return openNodeRpc(host, { repo: { get: ((key: string) => config[key]) as never } })
}

test('where callers need a secret, all that is for diagnosis needs one that opens its path', async t => {
  const { url } = await withSecret(t)
  const ask = async (path: string, secret?: string) => {
    const response = await fetch(url + path, { headers: secret === undefined ? {} : { Authorization: `Bearer ${secret}` } })
    await response.body?.cancel()
    return response.status
  }
  const metrics = ['/debug/metrics/prometheus', '/debug/metrics/oc', '/debug/vars']
  for (const path of ['/debug/stack', '/debug/pprof/', '/debug/pprof/cmdline', '/logs', ...metrics]) {
    t.is(await ask(path), 403, path)
    t.is(await ask(path, 'rpc'), 403, path)
    t.is(await ask(path, 'open'), 200, path)
  }
})
