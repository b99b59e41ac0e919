import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { type Daemon, launchDaemon } from '../../helpers/process/daemon.ts'
import { type Random, seeded } from '../../helpers/random.ts'
import { until } from '../../helpers/until.ts'

interface Running {
  readonly daemon: Daemon
  call<T>(path: string, body?: FormData): Promise<T>
  pins(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }>
}

async function start(folder: string, token: () => string): Promise<Running> {
  const daemon = await launchDaemon(join(folder, 'repo'), { globalArgs: ['--config', join(folder, 'config.json')] }).ready
  const port = /Pinning service server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(daemon.output())![1]
  return {
    daemon,
    async call<T>(path: string, body?: FormData) {
      const answer = await fetch(`${daemon.url}/api/v0/${path}`, { method: 'POST', ...(body !== undefined && { body }) })
      if (!answer.ok) throw new Error(await answer.text())
      return (await answer.json()) as T
    },
    async pins(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token()}` },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      return { status: answer.status, json: text === '' ? {} : JSON.parse(text) }
    }
  }
}

/** What clients were told: requests by their ID, and what they want; `undefined` where the end of one was answered. */
type Told = Map<string, string | undefined>

/** Asks for pins and ends them until the node is gone. */
async function work(t: ExecutionContext, node: Running, cids: readonly string[], told: Told, random: Random): Promise<void> {
  const pick = <T>(of: readonly T[]) => of[random.below(of.length)]!
  try {
    for (;;) {
      const live = [...told].filter(([, cid]) => cid !== undefined).map(([id]) => id)
      const kind = live.length > 20 ? 0 : random.below(10)
      const id = live.length > 0 && kind < 6 ? pick(live) : undefined
      const cid = pick(cids)
      if (id !== undefined && kind < 3) {
        // until it is answered, either may be
        told.delete(id)
        const { status } = await node.pins('DELETE', `/pins/${id}`)
        t.is(status, 202)
        told.set(id, undefined)
      } else {
        if (id !== undefined) told.delete(id)
        const { status, json } = await node.pins('POST', id === undefined ? '/pins' : `/pins/${id}`, { cid })
        t.is(status, 202, JSON.stringify(json))
        if (id !== undefined) told.set(id, undefined)
        told.set(String(json['requestid']), cid)
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

test('what a client was told outlives kill -9 at any moment, and pins are those of the requests that are left', async t => {
  t.timeout(240_000)
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.log(`seed ${seed}`)
  const random = seeded(seed)
  const folder = await temporaryFolder(t)
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({ plugins: { 'pinning-service': { port: 0, limits: { perSecond: 10_000, burst: 100_000 } } } })
  )
  let token = ''
  const told: Told = new Map()
  let node = await start(folder, () => token)
  token = (await node.call<{ Token: string }>('pin/service/token/new?arg=alice')).Token
  const cids: string[] = []
  for (let i = 0; i < 6; i++) {
    const form = new FormData()
    form.append('file', new Blob([`file ${i} `.repeat(1 + i * 5000)]))
    cids.push((await node.call<{ Hash: string }>('add?pin=false&cid-version=1&quieter=true', form)).Hash)
  }
  for (let round = 0; round < 6; round++) {
    const working = work(t, node, cids, told, random)
    await new Promise(resolve => setTimeout(resolve, 20 + random.below(300)))
    await node.daemon.kill()
    await working
    node = await start(folder, () => token)
    for (const [id, cid] of told) {
      const { status, json } = await node.pins('GET', `/pins/${id}`)
      t.is(status, cid === undefined ? 404 : 200, `${id} in round ${round}`)
      if (cid !== undefined) t.is((json['pin'] as { cid: string }).cid, cid)
    }
  }
  const all = async (query: string) => {
    const { json } = await node.pins('GET', `/pins?limit=1000&${query}`)
    return json['results'] as Array<{ pin: { cid: string } }>
  }
  await until('nothing waits', async () => (await all('status=queued,pinning')).length === 0)
  const wanted = [...new Set((await all('status=pinned')).map(({ pin }) => pin.cid))].sort()
  await until('pins are those of the requests', async () => {
    const { Keys } = await node.call<{ Keys: Record<string, { Name?: string }> }>('pin/ls?type=recursive&names=true')
    const kept = Object.entries(Keys).filter(([, { Name }]) => Name === 'pinning-service')
    return (
      kept
        .map(([cid]) => cid)
        .sort()
        .join() === wanted.join()
    )
  })
  t.is((await all('status=failed')).length, 0)
  t.is(await node.daemon.stop(), 0)
})
