/** Calls on the mutable tree, each on a path that no other caller works on. */

import { stateOf } from '../verify.ts'
import type { Caller, Operation } from './operation.ts'

const FILE = /^\/(d\d|moved-)/
const DIRECTORY = /^\/made-/

export const fileOperations: readonly Operation[] = [
  {
    path: 'files/write',
    weight: 4,
    async run(caller) {
      const { random } = caller
      const bytes = caller.bytes(random.below(3) === 0 ? 400_000 : 3000)
      const isUnflushed = random.below(4) === 0
      const states = [{ of: newPath(caller), to: stateOf(bytes) }]
      const query = `files/write?arg=${states[0]!.of}&create=true&parents=true&flush=${!isUnflushed}`
      await caller.ask(query, { states, isUnflushed }, [['data', bytes]])
    }
  },
  {
    path: 'files/cp',
    weight: 2,
    async run(caller) {
      await taking(caller, FILE, async path => {
        const of = newPath(caller)
        await caller.ask(`files/cp?arg=${path}&arg=${of}&parents=true`, { states: [{ of, to: caller.expected.stateOf(path) }] })
      })
    }
  },
  {
    path: 'files/mv',
    weight: 2,
    async run(caller) {
      await taking(caller, FILE, async path => {
        const of = `/moved-${newName(caller)}`
        const states = [
          { of: path, to: 'none' },
          { of, to: caller.expected.stateOf(path) }
        ]
        await caller.ask(`files/mv?arg=${path}&arg=${of}`, { states })
      })
    }
  },
  {
    path: 'files/rm',
    weight: 2,
    async run(caller) {
      await taking(caller, FILE, async path => {
        await caller.ask(`files/rm?arg=${path}`, { states: [{ of: path, to: 'none' }] })
      })
    }
  },
  {
    path: 'files/mkdir',
    weight: 2,
    async run(caller) {
      const version = caller.random.below(2)
      const of = `/made-${newName(caller)}`
      await caller.ask(`files/mkdir?arg=${of}&cid-version=${version}`, { states: [{ of, to: `v${version}` }] })
    }
  },
  {
    path: 'files/chcid',
    weight: 2,
    async run(caller) {
      await taking(caller, DIRECTORY, async of => {
        const version = caller.random.below(2)
        await caller.ask(`files/chcid?arg=${of}&cid-version=${version}`, { states: [{ of, to: `v${version}` }] })
      })
    }
  }
]

export function newName(caller: Caller): string {
  return Buffer.from(caller.bytes(1).subarray(0, 12)).toString('hex')
}

function newPath(caller: Caller): string {
  return `/d${caller.random.below(4)}/e${caller.random.below(3)}/${newName(caller)}`
}

/** Does something with one of what such words say, which nobody else has meanwhile. */
export async function taking({ expected, random }: Caller, kind: RegExp, use: (of: string) => Promise<void>): Promise<void> {
  const of = expected.takeState(kind, random.below)
  if (of === undefined) return
  try {
    await use(of)
  } finally {
    expected.giveBack(of)
  }
}
