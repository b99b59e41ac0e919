import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve, testHost } from 'holdfast/testing'
import rateLimit from '../src/index.js'

test('who asks too often is told when to come back, whatever it asks for', async t => {
  const host = await testHost({ plugins: [rateLimit], configuration: { plugins: { 'rate-limit': { perSecond: 0.01, burst: 3 } } } })
  t.after(() => host.stop())
  const { rpc } = await serve(host)
  const ask = (path: string) => fetch(`${rpc}/${path}`, { method: 'POST' })
  assert.equal((await ask('version')).status, 200)
  assert.equal((await ask('cat')).status, 400)
  assert.equal((await ask('cid/format?arg=nonsense')).status, 200)
  for (const path of ['version', 'cat', 'version?timeout=nonsense', 'cid/format?arg=nonsense']) {
    const answer = await ask(path)
    assert.equal(answer.status, 429, path)
    assert.ok(Number(answer.headers.get('retry-after')) >= 90)
    assert.match(await answer.text(), /"Message":"too many requests: try again in \d+ s","Code":3,"Type":"error"/)
  }
  assert.ok(await host.call('version'))
})
