/** Who may ask: every origin, host, agent and token for every access, over every transport, held against the rules in words. */
import { createHash } from 'node:crypto'
import { request as ask } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { type Access, command, listener, plugin, Repo, route, value } from '../../../../core/index.ts'
import { openPluginListeners } from '../../../../host/http/listen/plugin-listeners.ts'
import { openRpc } from '../../../../host/rpc/listener.ts'
import { testHost } from '../../../../host/testing.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { until } from '../../../helpers/until.ts'

const ACCESSES: readonly Access[] = ['read', 'write', 'admin']
const ORIGINS = ['none', 'same', 'listed', 'foreign', 'null'] as const
const HOSTS = { loopback: '127.0.0.1', listed: 'node.example', foreign: 'evil.example' } as const
const AGENTS = { program: 'curl/8.0', browser: 'Mozilla/5.0 (X11; Linux)' } as const
/** Those that are known: what each may do, and of which commands and routes. */
const TOKENS = {
  reader: { Access: 'read' },
  writer: { Access: 'write' },
  owner: { Access: 'admin' },
  bounded: { Access: 'admin', Commands: ['made/read', '* /made/read'] }
} as const
const STRANGERS = ['none', 'wrong', 'expired'] as const

type Known = keyof typeof TOKENS

interface Case {
  readonly origin: (typeof ORIGINS)[number]
  readonly host: keyof typeof HOSTS
  readonly agent: keyof typeof AGENTS
  readonly token: Known | (typeof STRANGERS)[number]
  readonly access: Access
}

const CASES: readonly Case[] = ORIGINS.flatMap(origin =>
  (Object.keys(HOSTS) as Array<Case['host']>).flatMap(host =>
    (Object.keys(AGENTS) as Array<Case['agent']>).flatMap(agent => [
      ...(Object.keys(TOKENS) as Known[]).flatMap(token => ACCESSES.map(access => ({ origin, host, agent, token, access }))),
      // one access of these: after a hundred wrong ones an address is slowed
      ...STRANGERS.map(token => ({ origin, host, agent, token, access: 'read' as const }))
    ])
  )
)

interface Transport {
  readonly name: string
  readonly listener: 'rpc' | 'plugin'
  readonly over: 'tcp' | 'unix'
  readonly kind: 'command' | 'route' | 'upgrade'
}

const TRANSPORTS: readonly Transport[] = (['rpc', 'plugin'] as const).flatMap(of =>
  (['tcp', 'unix'] as const).flatMap(over =>
    (['command', 'route', 'upgrade'] as const)
      .filter(kind => kind !== 'command' || of === 'rpc')
      .map(kind => ({ name: `${kind} on ${of} over ${over}`, listener: of, over, kind }))
  )
)

/** The status of an answer, by the rules as the docs have them. */
function expected({ kind, over }: Transport, { origin, host, agent, token, access }: Case): number {
  const isKnown = token in TOKENS
  // a socket has no port, so no page is its own
  const isPageLetIn = origin === 'none' ? agent === 'program' : origin === 'listed' || (origin === 'same' && over === 'tcp')
  const isForeign = !isPageLetIn || host === 'foreign'
  // commands ask who it is first, as Kubo does; routes where it comes from
  if (kind === 'command' && !isKnown) return 401
  if (isForeign) return 403
  if (!isKnown) return 401
  if (token === 'bounded') return access === 'read' ? success(kind) : 403
  return ACCESSES.indexOf(access) <= ACCESSES.indexOf(TOKENS[token as Known].Access) ? success(kind) : 403
}

const success = (kind: Transport['kind']) => (kind === 'upgrade' ? 101 : 200)

/** Commands, routes and upgrades of each access. */
function made(socket: string) {
  const allowed = { allowedHosts: [HOSTS.listed], allowedOrigins: ['https://app.example'] }
  const routes = (['rpc', 'plugin'] as const).flatMap(of =>
    ACCESSES.map(access =>
      route({
        listener: of,
        method: 'GET',
        path: `/made/${access}`,
        access,
        help: 'For a test.',
        handle: (_, __, response) => void response.end('ok'),
        upgrade: {
          protocol: 'websocket',
          handle: (_, __, stream) =>
            void stream.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
        }
      })
    )
  )
  const commands = ACCESSES.map(access =>
    command[access](`made/${access}`, { help: 'For a test.', reply: value(z.object({})), run: () => ({}) })
  )
  const at = [
    { port: 0, ...allowed },
    { socket, ...allowed }
  ]
  return plugin({
    name: 'made',
    api: '^1',
    about: 'For a test.',
    commands,
    routes,
    listeners: [listener({ name: 'plugin', help: '', at: () => at })]
  })
}

/** A node with these tokens, its listeners open on a port and a socket each. */
async function node(t: ExecutionContext) {
  const folder = await temporaryFolder(t)
  const hash = (secret: string) => `sha256:${createHash('sha256').update(secret).digest('hex')}`
  const entries = Object.entries(TOKENS).map(([name, entry]) => [name, { SecretHash: hash(name), ...entry }])
  const expired = { SecretHash: hash('expired'), Access: 'admin', Expires: '2020-01-01T00:00:00Z' }
  const host = await testHost({
    plugins: [made(join(folder, 'plugin'))],
    configuration: { plugins: { gateway: 'off' }, rpc: { allowedHosts: [HOSTS.listed] } },
    node: {
      'API.Authorizations': { ...Object.fromEntries(entries), expired },
      'API.HTTPHeaders': { 'Access-Control-Allow-Origin': ['https://app.example'] }
    }
  })
  t.teardown(() => host.stop())
  const { calls, logs, requestCounts } = host
  const addresses = ['/ip4/127.0.0.1/tcp/0', `/unix${join(folder, 'rpc')}`]
  const settings = host.configuration.rpc
  const rpc = await openRpc({
    calls,
    repo: host.service(Repo)!,
    host,
    logs,
    requestCounts,
    routes: host.routes('rpc'),
    settings,
    addresses
  })
  host.beforeStop(() => rpc.close())
  const pluginListeners = await openPluginListeners({ host, logs })
  for (const { close } of pluginListeners) host.beforeStop(close)
  const ports = { rpc: Number(rpc.addresses[0]!.split('/').at(-1)), plugin: Number(new URL(pluginListeners[0]!.urls[0]).port) }
  const statusOf = ({ listener: of, over, kind }: Transport, { origin, host: named, agent, token, access }: Case) => {
    const from = {
      none: undefined,
      same: `http://127.0.0.1:${ports[of]}`,
      listed: 'https://app.example',
      foreign: 'https://evil.example',
      null: 'null'
    }[origin]
    const port = over === 'tcp' ? `:${ports[of]}` : ''
    const headers = {
      Host: `${HOSTS[named]}${port}`,
      'User-Agent': AGENTS[agent],
      ...(from !== undefined && { Origin: from }),
      ...(token !== 'none' && { Authorization: `Bearer ${token}` }),
      ...(kind === 'upgrade' && { Connection: 'Upgrade', Upgrade: 'websocket' })
    }
    const where = over === 'tcp' ? { host: '127.0.0.1', port: ports[of] } : { socketPath: join(folder, of) }
    const [method, path] = kind === 'command' ? ['POST', `/api/v0/made/${access}`] : ['GET', `/made/${access}`]
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = ask({ ...where, method, path, headers, agent: false })
      asked.on('error', reject)
      asked.on('upgrade', (answer, socket) => {
        socket.destroy()
        resolve({ status: answer.statusCode!, text: '' })
      })
      asked.on('response', async answer => {
        let text = ''
        for await (const piece of answer.setEncoding('utf8')) text += piece
        resolve({ status: answer.statusCode!, text })
      })
      asked.end()
    })
  }
  return { host, statusOf }
}

for (const transport of TRANSPORTS) {
  test(`whoever may ask is answered, and each refusal is told: ${transport.name}`, async t => {
    const { host, statusOf } = await node(t)
    const lines: string[] = []
    const reading = (async () => {
      for await (const line of host.logs.tail()) lines.push(line)
    })()
    const disagreements: string[] = []
    let refused = 0
    for (const one of CASES) {
      const { status, text } = await statusOf(transport, one)
      const wanted = expected(transport, one)
      if (status !== wanted) disagreements.push(`${JSON.stringify(one)}: ${status}, not ${wanted}: ${text}`)
      if (status === 401 || status === 403) refused++
    }
    t.deepEqual(disagreements, [])
    const told = () =>
      lines
        .join('')
        .split('\n')
        .filter(line => line.includes('"subsystem":"audit"')).length
    await until('a line for each refusal', () => told() >= refused)
    await host.stop()
    await reading
    t.is(told(), refused)
    t.notRegex(lines.join(''), /Bearer|sha256:/)
    t.log(`${CASES.length} cases, ${refused} of them refused`)
  })
}

test('an error names the access that lacks, and a route asks for a token as a command does', async t => {
  const { statusOf } = await node(t)
  const base = { origin: 'none', host: 'loopback', agent: 'program' } as const
  for (const transport of TRANSPORTS) {
    const lacking = await statusOf(transport, { ...base, token: 'reader', access: 'write' })
    t.regex(lacking.text, /takes the access 'write', and 'reader' has 'read'/, transport.name)
    const closed = await statusOf(transport, { ...base, token: 'bounded', access: 'write' })
    t.regex(closed.text, /bounded/, transport.name)
  }
})

test('a caller in this process has no secret, and may do everything', async t => {
  const { host } = await node(t)
  for (const access of ACCESSES) t.deepEqual(await host.call(`made/${access}`), {})
})
