/** Calls on keys, names and the configuration. */
import { generateIdentity } from '../../../../core/keys/index.ts'
import { post } from '../rpc.ts'
import { newName, taking } from './file-operations.ts'
import type { Caller, Operation } from './operation.ts'

const KEY = /^key /
const VALUE = /^value /
const PEER = /^peer /

const idOf = (answer: string) => (JSON.parse(answer) as { Id: string }).Id
const textAfter = (of: string) => of.slice(of.indexOf(' ') + 1)

const keyOperations: readonly Operation[] = [
  {
    path: 'key/gen',
    weight: 2,
    async run(caller) {
      const name = newName(caller)
      await caller.ask(`key/gen?arg=${name}`, { states: [{ of: `key ${name}`, to: '*' }] }, [], learned(name))
    }
  },
  {
    path: 'key/import',
    weight: 2,
    async run(caller) {
      const name = newName(caller)
      const { privateKey } = await generateIdentity()
      const part = ['key', new Uint8Array(privateKey)] as const
      await caller.ask(`key/import?arg=${name}`, { states: [{ of: `key ${name}`, to: '*' }] }, [part], learned(name))
    }
  },
  {
    path: 'key/rename',
    weight: 2,
    async run(caller) {
      await taking(caller, KEY, async of => {
        const name = newName(caller)
        await rename(caller, of, `key ${name}`)
      })
      await taking(caller, KEY, from => taking(caller, KEY, to => rename(caller, from, to)))
    }
  },
  {
    path: 'key/rm',
    weight: 2,
    async run(caller) {
      await taking(caller, KEY, async of => {
        await caller.ask(`key/rm?arg=${textAfter(of)}`, { states: [{ of, to: 'none' }] })
      })
    }
  },
  {
    path: 'name/publish',
    weight: 2,
    async run(caller) {
      await taking(caller, KEY, async of => {
        const path = `/ipfs/bafkqaaa/${newName(caller)}`
        const states = [{ of: `name ${caller.expected.stateOf(of)}`, to: path }]
        await caller.ask(`name/publish?arg=${path}&key=${textAfter(of)}&resolve=false&allow-offline=true`, { states })
      })
    }
  }
]

function learned(name: string) {
  return (answer: string) => ({ states: [{ of: `key ${name}`, to: idOf(answer) }] })
}

async function rename({ expected, ask }: Caller, from: string, to: string): Promise<void> {
  const states = [
    { of: from, to: 'none' },
    { of: to, to: expected.stateOf(from) }
  ]
  await ask(`key/rename?arg=${textAfter(from)}&arg=${textAfter(to)}&force=true`, { states })
}

/** What of `config/show` these calls change. What is put in place as a whole has to be of the model; it does not take over other members. */
interface Shown {
  readonly Crash?: Readonly<Record<string, number>>
  readonly Gateway: { readonly HTTPHeaders: Readonly<Record<string, readonly string[]>> | null }
  readonly Bootstrap: readonly string[]
  readonly Discovery: { readonly MDNS: { readonly Enabled: boolean } }
}

const configOperations: readonly Operation[] = [
  {
    path: 'config',
    weight: 3,
    async run(caller) {
      const { random, expected, ask } = caller
      const set = async (of: string) => {
        const to = `${random.below(1e9)}`
        await expected.configuring(() => ask(`config?arg=Crash.${textAfter(of)}&arg=${to}&json=true`, { states: [{ of, to }] }))
      }
      if (random.below(3) === 0) await set(`value ${newName(caller)}`)
      else await taking(caller, VALUE, set)
    }
  },
  {
    path: 'config/replace',
    weight: 2,
    async run(caller) {
      const { expected, ask, url } = caller
      await expected.configuring(async () => {
        const config = JSON.parse(await post(url, 'config/show')) as Shown
        const name = `X-${newName(caller)}`
        const headers = { ...config.Gateway.HTTPHeaders, [name]: ['1'] }
        const next = { ...config, Gateway: { ...config.Gateway, HTTPHeaders: headers } }
        const part = ['config', new Uint8Array(Buffer.from(JSON.stringify(next)))] as const
        await ask('config/replace', { states: [{ of: `header ${name}`, to: '1' }] }, [part])
      }, true)
    }
  },
  {
    path: 'config/profile/apply',
    weight: 3,
    async run(caller) {
      await taking(caller, /^mdns$/, of => {
        const isLocal = caller.random.below(2) === 0
        const query = `config/profile/apply?arg=${isLocal ? 'local-discovery' : 'server'}`
        return caller.expected.configuring(() => caller.ask(query, { states: [{ of, to: `${isLocal}` }] }))
      })
    }
  },
  {
    path: 'bootstrap/add',
    weight: 2,
    async run(caller) {
      const { random, expected, ask } = caller
      const peer = `/ip4/10.${random.below(256)}.${random.below(256)}.${random.below(256)}/tcp/1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ`
      await expected.configuring(() => ask(`bootstrap/add?arg=${peer}`, { states: [{ of: `peer ${peer}`, to: 'there' }] }))
    }
  },
  {
    path: 'bootstrap/rm',
    weight: 2,
    async run(caller) {
      await taking(caller, PEER, of =>
        caller.expected.configuring(() => caller.ask(`bootstrap/rm?arg=${textAfter(of)}`, { states: [{ of, to: 'none' }] }))
      )
    }
  }
]

export const stateOperations: readonly Operation[] = [...keyOperations, ...configOperations]

/** All that these calls leave. @param names - IDs of keys that were ever to be published */
export async function statesOf(url: string, names: readonly string[]): Promise<Map<string, string>> {
  const states = new Map<string, string>()
  const { Keys } = JSON.parse(await post(url, 'key/list')) as { Keys: Array<{ Name: string; Id: string }> }
  for (const { Name, Id } of Keys) if (Name !== 'self') states.set(`key ${Name}`, Id)
  for (const of of names) {
    const answer = await fetch(`${url}/api/v0/name/resolve?arg=${textAfter(of)}`, { method: 'POST' })
    if (answer.ok) states.set(of, ((await answer.json()) as { Path: string }).Path)
    else await answer.body?.cancel()
  }
  const config = JSON.parse(await post(url, 'config/show')) as Shown
  for (const [name, value] of Object.entries(config.Crash ?? {})) states.set(`value ${name}`, `${value}`)
  for (const [name, values] of Object.entries(config.Gateway.HTTPHeaders ?? {}))
    if (name.startsWith('X-')) states.set(`header ${name}`, values.join())
  for (const peer of config.Bootstrap) if (peer.startsWith('/ip4/10.')) states.set(`peer ${peer}`, 'there')
  states.set('mdns', `${config.Discovery.MDNS.Enabled}`)
  return states
}
