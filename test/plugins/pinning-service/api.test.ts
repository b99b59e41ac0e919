import test from 'ava'
import { ABSENT, type Shown, servingNode } from './world.ts'

test('a pin is asked for, looked at, listed, replaced and removed', async t => {
  const { ask, post, has, stored, pins } = await servingNode(t)
  const cid = await stored('one')
  const made = await post(cid, { name: 'first', meta: { app: 'x' } })
  t.deepEqual(made.pin, { cid, name: 'first', meta: { app: 'x' } })
  t.deepEqual(made.delegates, [])
  t.regex(made.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const pinned = await has(made.requestid, 'pinned')
  const { info: _, ...first } = made
  t.deepEqual(pinned, { ...first, status: 'pinned' })
  t.true((await pins()).includes(`${cid} recursive pinning-service`))
  const listed = await ask('GET', '/pins')
  t.deepEqual([listed.status, listed.headers.get('content-type')], [200, 'application/json'])
  t.deepEqual(listed.json, { count: 1, results: [pinned] } as never)
  const other = await stored('two')
  const replaced = await ask('POST', `/pins/${made.requestid}`, { body: { cid: other } })
  t.is(replaced.status, 202)
  t.not(replaced.json.requestid, made.requestid)
  await has(replaced.json.requestid, 'pinned')
  const gone = await ask('GET', `/pins/${made.requestid}`)
  t.deepEqual([gone.status, gone.json.error.reason], [404, 'NOT_FOUND'])
  const removed = await ask('DELETE', `/pins/${replaced.json.requestid}`)
  t.deepEqual([removed.status, removed.text], [202, ''])
  t.is((await ask('DELETE', `/pins/${replaced.json.requestid}`)).status, 404)
  t.deepEqual(
    (await pins()).filter(pin => pin.endsWith('pinning-service')),
    []
  )
})

test('a pin that cannot be fetched has failed, and says why', async t => {
  const { post, has, ask } = await servingNode(t)
  const { requestid } = await post(ABSENT)
  const failed = await has(requestid, 'failed')
  t.truthy(failed.info?.status_details)
  t.is((await ask('GET', '/pins')).json.count, 0, 'pinned ones alone are listed unless another status is asked for')
  t.is((await ask('GET', '/pins?status=failed,queued')).json.count, 1)
  t.is((await ask('GET', '/pins?status=failed&status=queued')).json.count, 1)
})

test('lists are filtered by CID, name, state, time and metadata, the newest first, page by page', async t => {
  const { post, stored, ask, has } = await servingNode(t)
  const cids = [await stored('a'), await stored('b')]
  const names = ['Alpha', 'alpha', 'Beta', 'alphabet', '']
  const made: Shown[] = []
  for (const [i, name] of names.entries())
    made.push(await post(cids[i % 2]!, { ...(name !== '' && { name }), meta: { n: String(i), all: 'y' } }))
  for (const { requestid } of made) await has(requestid, 'pinned')
  const indexes = async (query: string) => {
    const { status, json, text } = await ask('GET', `/pins?${query}`)
    t.is(status, 200, text)
    return [json.count, ...json.results.map(({ requestid }) => made.findIndex(one => one.requestid === requestid))]
  }
  t.deepEqual(await indexes(''), [5, 4, 3, 2, 1, 0])
  t.deepEqual(await indexes(`cid=${cids[0]}`), [3, 4, 2, 0])
  t.deepEqual(await indexes(`cid=${cids[0]},${cids[1]}`), [5, 4, 3, 2, 1, 0])
  t.deepEqual(await indexes(`cid=${cids[1]}&cid=${cids[1]}`), [2, 3, 1])
  t.deepEqual(await indexes(`cid=${ABSENT}`), [0])
  t.deepEqual(await indexes('name=alpha'), [1, 1])
  t.deepEqual(await indexes('name=alpha&match=iexact'), [2, 1, 0])
  t.deepEqual(await indexes('name=alpha&match=partial'), [2, 3, 1])
  t.deepEqual(await indexes('name=alpha&match=ipartial'), [3, 3, 1, 0])
  t.deepEqual(await indexes('status=failed'), [0])
  t.deepEqual(await indexes(`before=${made[2]!.created}`), [2, 1, 0])
  t.deepEqual(await indexes(`after=${made[2]!.created}`), [2, 4, 3])
  t.deepEqual(await indexes(`after=${made[0]!.created}&before=${made[3]!.created}`), [2, 2, 1])
  t.deepEqual(await indexes('limit=2'), [5, 4, 3])
  t.deepEqual(await indexes(`limit=2&before=${made[3]!.created}`), [3, 2, 1])
  t.deepEqual(await indexes(`meta=${encodeURIComponent('{"n":"3"}')}`), [1, 3])
  t.deepEqual(await indexes(`meta=${encodeURIComponent('{"n":"3","all":"n"}')}`), [0])
  t.deepEqual(await indexes('meta%5Bn%5D=3&meta%5Ball%5D=y'), [1, 3])
  t.is(new Set(made.map(({ created }) => created)).size, 5, 'no two have the same time')
})

test('what is wrong with a request is told in the form of the API, with what was wrong', async t => {
  const { ask } = await servingNode(t)
  const many = Array.from({ length: 11 }, () => ABSENT).join(',')
  for (const [query, what] of [
    ['cid=nothing', /^cid: /],
    [`cid=${many}`, /^cid: more than 10/],
    ['cid=', /^cid: /],
    [`name=${'x'.repeat(256)}`, /^name: longer than 255/],
    ['match=some', /^match: "some" is none of exact/],
    ['status=done', /^status: "done" is none of queued/],
    ['status=', /^status: "" is none/],
    ['before=yesterday', /^before: /],
    ['after=2020-13-01T00:00:00Z', /^after: /],
    ['limit=0', /^limit: "0" is no number from 1 to 1000/],
    ['limit=1001', /^limit: /],
    ['limit=1e2', /^limit: /],
    ['meta=x', /^meta: /],
    ['meta=[]', /^meta: it is no JSON object/],
    ['meta={"a":1}', /^meta: "a" has a value that is no text/]
  ] as const) {
    const { status, json } = await ask('GET', `/pins?${query}`)
    t.is(status, 400, query)
    t.is(json.error.reason, 'BAD_REQUEST')
    t.regex(json.error.details, what)
  }
  for (const [body, what] of [
    ['', /^the body is no JSON/],
    ['{', /^the body is no JSON/],
    ['[]', /^the body: /],
    ['{}', /^cid: /],
    [{ cid: 'x' }, /^cid: /],
    [{ cid: 7 }, /^cid: /],
    [{ cid: ABSENT, name: 'x'.repeat(256) }, /^name: /],
    [`{"cid":"${ABSENT}","name":"caf\\udce9"}`, /^name: no UTF-8/],
    [{ cid: ABSENT, origins: Array.from({ length: 21 }, () => '/p2p/x') }, /^origins: /],
    [{ cid: ABSENT, origins: ['/ip4/127.0.0.1/tcp/1'] }, /^origins: "\/ip4\/127\.0\.0\.1\/tcp\/1": /],
    [{ cid: ABSENT, origins: ['nowhere'] }, /^origins: "nowhere": /],
    [{ cid: ABSENT, meta: { a: 1 } }, /^meta\.a: /],
    [{ cid: ABSENT, meta: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, ''])) }, /^meta: more than 1000/]
  ] as const) {
    const { status, json } = await ask('POST', '/pins', { body })
    t.is(status, 400, JSON.stringify(body).slice(0, 80))
    t.is(json.error.reason, 'BAD_REQUEST')
    t.regex(json.error.details, what)
  }
  t.is((await ask('GET', '/pins?status=queued,pinning,pinned,failed')).json.count, 0, 'none of these was taken down')
})

test('there is nothing but pins, and each has its methods', async t => {
  const { ask, post } = await servingNode(t)
  const { requestid } = await post(ABSENT)
  for (const path of ['/', '/pin', '/pins/', '/pins/x/y', '/api/v0/id', '/%70ins']) {
    const { status, json } = await ask('GET', path)
    t.deepEqual([status, json.error?.reason], [404, 'NOT_FOUND'], path)
  }
  for (const [method, path, allow] of [
    ['DELETE', '/pins', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/pins', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', `/pins/${requestid}`, 'GET, HEAD, POST, DELETE, OPTIONS']
  ] as const) {
    const { status, headers, json } = await ask(method, path)
    t.deepEqual([status, headers.get('allow'), json.error.reason], [405, allow, 'METHOD_NOT_ALLOWED'], `${method} ${path}`)
  }
  for (const id of ['x', '..', '%2e%2e', 'f'.repeat(32), `${requestid}0`, encodeURIComponent('é')]) {
    const { status } = await ask('GET', `/pins/${id}`)
    t.is(status, 404, id)
    t.is((await ask('POST', `/pins/${id}`, { body: { cid: ABSENT } })).status, 404, id)
  }
  const head = await ask('HEAD', '/pins')
  t.deepEqual([head.status, head.text], [200, ''])
})

test('pages of other sites, and other names, are turned away; a page that the settings name may ask', async t => {
  const { ask } = await servingNode(t, { settings: { allowedOrigins: ['https://app.example'] } })
  const foreign = await ask('GET', '/pins', { headers: { Origin: 'https://evil.example' } })
  t.is(foreign.status, 403)
  t.is((await ask('POST', '/pins', { body: { cid: ABSENT }, headers: { Origin: 'https://evil.example' } })).status, 403)
  const named = await ask('GET', '/pins', { headers: { Origin: 'https://app.example' } })
  t.deepEqual([named.status, named.headers.get('access-control-allow-origin')], [200, 'https://app.example'])
  const preflight = await ask('OPTIONS', '/pins', {
    token: undefined,
    headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' }
  })
  t.is(preflight.status, 204)
  t.regex(preflight.headers.get('access-control-allow-headers')!, /Authorization/)
  t.is((await ask('OPTIONS', '/pins', { token: undefined, headers: { Origin: 'https://evil.example' } })).status, 403)
})
