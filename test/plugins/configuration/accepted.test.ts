/** Whatever `config` takes, a node starts with: every key of the schema, with values that a person or a program may give it. */
import test from 'ava'
import { type Json, messageOf, type NodeConfig, Repo } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { openPluginListeners } from '../../../host/http/listen/plugin-listeners.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { modelWithRpc } from '../../../host/rpc/refused.ts'

const VALUES: readonly Json[] = [
  ...[null, '', [], {}, 0, -1, 1, 1e18, true, false],
  ...['junk', '-1', '1', '0s', '1s', '9999h', 'auto', '1e30'],
  ...[['junk'], [''], [null], ['auto'], { x: 'y' }, { x: {} }, { x: null }]
]

/** With these a node talks to nobody. */
const ALONE: Readonly<Record<string, Json>> = {
  'Addresses.API': '/ip4/127.0.0.1/tcp/0',
  'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0',
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'],
  Bootstrap: [],
  'Discovery.MDNS.Enabled': false,
  'Routing.Type': 'none',
  'Swarm.DisableNatPortMap': true
}

const model = modelWithRpc(undefined)
const alone = Object.entries(ALONE).reduce<NodeConfig>((config, [key, value]) => model.write(config, key, value), {})

/** Every key, also those above others. */
const KEYS = [...new Set(model.keys().flatMap(({ key }) => key.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'))))]

/** What a change makes of a configuration, as `config` judges it; undefined where it is refused. */
async function changed(config: NodeConfig, key: string, value: Json): Promise<NodeConfig | undefined> {
  try {
    const next = model.write(config, key, value)
    model.typed(next)
    return (await model.stopping(next)).length === 0 ? next : undefined
  } catch {
    return undefined
  }
}

/** What keeps a node from starting and listening with a configuration. */
async function problemWith(config: NodeConfig, network: 'on' | 'off'): Promise<string | undefined> {
  const plugins = { network, 'storage-rocksdb': 'off', 'storage-memory': 'on' } as const
  const host = await createHost({ configuration: { plugins }, patience: 120_000, repo: { path: undefined, init: { config } } })
  try {
    await host.start()
    const { calls, logs } = host
    const rpc = await openRpc({ calls, host, logs, repo: host.service(Repo)! })
    host.beforeStop(() => rpc.close())
    for (const { close } of await openPluginListeners({ host, logs })) host.beforeStop(close)
    return undefined
  } catch (error) {
    return messageOf(error)
  } finally {
    await host.stop()
  }
}

for (const network of ['off', 'on'] as const)
  test.serial(`a node with its network ${network} starts with every value that config takes`, async t => {
    t.true(KEYS.length > 100)
    let taken = 0
    for (const value of VALUES) {
      let config = alone
      for (const key of KEYS) {
        // a section as a whole would undo what keeps the node to itself
        const isKept = network === 'on' && Object.keys(ALONE).some(one => one === key || one.startsWith(`${key}.`))
        const next = isKept || key.startsWith('Identity') ? undefined : await changed(config, key, value)
        if (next !== undefined) taken++
        config = next ?? config
      }
      t.is(await problemWith(config, network), undefined, JSON.stringify(value))
    }
    t.true(taken > 400, `${taken}`)
  })
