import type { Effects, Expected } from '../expected.ts'
import { carOf, lines, type Part, post, Refused } from '../rpc.ts'
import { fileOperations } from './file-operations.ts'
import type { Caller, Operation } from './operation.ts'
import { otherOperations } from './other-operations.ts'
import { stateOperations } from './state-operations.ts'

export const operations: readonly Operation[] = [
  ...fileOperations,
  ...stateOperations,
  ...otherOperations,
  {
    path: 'add',
    weight: 4,
    async run(caller) {
      const { random } = caller
      const count = random.below(3) === 0 ? 1 + random.below(20) : 1
      const largest = count > 1 ? 9000 : 700_000
      const parts = Array.from({ length: count }, (_, i): Part => [count > 1 ? `folder%2F${i}` : 'file', caller.bytes(largest)])
      await caller.ask('add', { pinsUnnamed: 1 }, parts, answer => ({ pins: [{ cid: lastOf(answer).Hash, to: 'recursive ' }] }))
    }
  },
  {
    path: 'pin/add',
    weight: 4,
    async run(caller) {
      const { random } = caller
      const name = random.below(2) === 0 ? '' : `name ${random.below(1000)}`
      const isDirect = random.below(3) === 0
      const cid = isDirect ? await putBlock(caller) : await addLoose(caller)
      const to = `${isDirect ? 'direct' : 'recursive'} ${name}`
      const query = `pin/add?arg=${cid}&recursive=${!isDirect}${name === '' ? '' : `&name=${encodeURIComponent(name)}`}`
      await caller.ask(query, { pins: [{ cid, to }] })
    }
  },
  {
    path: 'pin/update',
    weight: 4,
    async run(caller) {
      const { random } = caller
      await withPin(caller, /^recursive/, async ({ cid, to }) => {
        const isNext = random.below(2) === 0
        const next = isNext
          ? await putNode(caller, { before: { '/': cid }, unique: Buffer.from(caller.bytes(8)).toString('hex') })
          : await addLoose(caller)
        const unpin = random.below(3) > 0
        const pins = [{ cid: next, to }, ...(unpin ? [{ cid, to: 'none' }] : [])]
        await caller.ask(`pin/update?arg=${cid}&arg=${next}&unpin=${unpin}`, { pins })
      })
    }
  },
  {
    path: 'pin/rm',
    weight: 3,
    async run(caller) {
      await withPin(caller, /^(recursive|direct)/, async ({ cid }) => {
        await caller.ask(`pin/rm?arg=${cid}`, { pins: [{ cid, to: 'none' }] })
      })
    }
  },
  {
    path: 'dag/import',
    weight: 4,
    async run(caller) {
      const { random } = caller
      const { car, root } = await carOf(Array.from({ length: 1 + random.below(12) }, () => caller.bytes(60_000)))
      const pin = random.below(4) > 0
      const effects: Effects = pin ? { pins: [{ cid: root, to: 'recursive ' }] } : { roots: [root] }
      await caller.ask(`dag/import?pin-roots=${pin}`, effects, [['car', car]], answer => {
        const refusal = lines<{ Root?: { PinErrorMsg: string } }>(answer).find(({ Root }) => Root?.PinErrorMsg)
        if (refusal !== undefined) throw new Refused('dag/import', 200, refusal.Root!.PinErrorMsg)
        return {}
      })
    }
  },
  {
    path: 'block/put',
    weight: 3,
    async run(caller) {
      if (caller.random.below(3) === 0) await putBlock(caller, true)
      else caller.spare.push(await putBlock(caller))
    }
  },
  {
    path: 'block/rm',
    weight: 3,
    async run(caller) {
      const { random, spare } = caller
      const removed = spare.splice(random.below(spare.length), 1 + random.below(3))
      if (removed.length === 0) return
      await caller.ask(`block/rm?force=true&${removed.map(cid => `arg=${cid}`).join('&')}`, { removed }, [], answer => {
        refuseErrors('block/rm', answer)
        return {}
      })
    }
  },
  {
    path: 'dag/put',
    weight: 3,
    async run(caller) {
      await putNode(caller, { text: Buffer.from(caller.bytes(9000)).toString('base64') }, caller.random.below(2) === 0)
    }
  },
  {
    path: 'name/publish',
    weight: 3,
    async run({ bytes, expected, ask }) {
      const publishes = `/ipfs/bafkqaaa/${Buffer.from(bytes(32)).toString('hex')}`
      await expected.alone(() => ask(`name/publish?arg=${publishes}&resolve=false&allow-offline=true`, { publishes }))
    }
  },
  {
    path: 'repo/gc',
    weight: 5,
    async run(caller) {
      await caller.ask('repo/gc', { collects: true }, [], answer => {
        refuseErrors('repo/gc', answer)
        return {}
      })
    }
  }
]

/** @throws Refused for a line that tells of an error */
function refuseErrors(path: string, answer: string): void {
  for (const line of lines<{ Error?: string }>(answer)) if (line.Error) throw new Refused(path, 200, line.Error)
}

async function withPin(caller: Caller, modes: RegExp, use: (pin: { cid: string; to: string }) => Promise<void>): Promise<void> {
  const pin = caller.expected.take(modes, caller.random.below)
  if (pin === undefined) return
  try {
    await use(pin)
  } finally {
    caller.expected.giveBack(pin.cid)
  }
}

async function addLoose(caller: Caller): Promise<string> {
  const file: Part = ['file', caller.bytes(600_000)]
  return lastOf(await caller.ask('add?pin=false', {}, [file], answer => ({ roots: [lastOf(answer).Hash] }))).Hash
}

async function putBlock(caller: Caller, pin = false): Promise<string> {
  const pinned = (answer: string): Effects => (pin ? { pins: [{ cid: lastOf(answer).Key, to: 'recursive ' }] } : {})
  const learned = (answer: string): Effects => ({ stored: [lastOf(answer).Key], ...pinned(answer) })
  const block: Part = ['block', caller.bytes(200_000)]
  return lastOf(await caller.ask(`block/put?pin=${pin}`, { pinsUnnamed: pin ? 1 : 0 }, [block], learned)).Key
}

async function putNode(caller: Caller, node: object, pin = false): Promise<string> {
  const rootOf = (answer: string) => lines<{ Cid: { '/': string } }>(answer).at(-1)!.Cid['/']
  const learned = (answer: string): Effects => (pin ? { pins: [{ cid: rootOf(answer), to: 'recursive ' }] } : { stored: [rootOf(answer)] })
  const input: Part = ['node', new Uint8Array(Buffer.from(JSON.stringify(node)))]
  return rootOf(await caller.ask(`dag/put?pin=${pin}`, { pinsUnnamed: pin ? 1 : 0 }, [input], learned))
}

function lastOf(answer: string): { Hash: string; Key: string } {
  return lines<{ Hash: string; Key: string }>(answer).at(-1)!
}

/** Sends the whole request and reads the whole answer, with a note before and after. */
export function asking(url: string, expected: Expected, onAnswer: () => void): Caller['ask'] {
  return async (path, effects, parts = [], learned = () => ({})) => {
    const asked = expected.ask(path.split('?')[0]!, effects)
    try {
      const answer = await post(url, path, parts)
      expected.answer(asked, learned(answer))
      onAnswer()
      return answer
    } catch (error) {
      if (error instanceof Refused) expected.refused(asked, error.message)
      throw error
    }
  }
}
