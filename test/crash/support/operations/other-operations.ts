/** Calls on references to files and on pinning services. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lines, post, Refused } from '../rpc.ts'
import { newName, taking } from './file-operations.ts'
import type { Caller, Operation } from './operation.ts'

const SERVICE = /^service /

/** Adds a file by reference. A node is asked for that before it may from its second start on. */
async function refer(caller: Caller): Promise<void> {
  const folder = join(caller.folder, 'referred')
  await mkdir(folder, { recursive: true })
  const [bytes, path] = [caller.bytes(600_000), join(folder, newName(caller))]
  await writeFile(path, bytes)
  const rootOf = (answer: string) => lines<{ Hash: string }>(answer).at(-1)!.Hash
  try {
    const learned = (answer: string) => ({ pins: [{ cid: rootOf(answer), to: 'recursive ' }] })
    await caller.ask('add?nocopy=true', { pinsUnnamed: 1 }, [['file', bytes, path]], learned)
  } catch (error) {
    if (!(error instanceof Refused) || !error.message.includes('filestore is not enabled')) throw error
  }
}

export const otherOperations: readonly Operation[] = [
  { path: 'add', weight: 3, run: refer },
  {
    path: 'pin/remote/service/add',
    weight: 2,
    async run(caller) {
      const name = newName(caller)
      const states = [{ of: `service ${name}`, to: 'http://127.0.0.1:9' }]
      const query = `pin/remote/service/add?arg=${name}&arg=http://127.0.0.1:9&arg=secret`
      await caller.expected.configuring(() => caller.ask(query, { states }))
    }
  },
  {
    path: 'pin/remote/service/rm',
    weight: 2,
    async run(caller) {
      await taking(caller, SERVICE, of =>
        caller.expected.configuring(() =>
          caller.ask(`pin/remote/service/rm?arg=${of.slice('service '.length)}`, { states: [{ of, to: 'none' }] })
        )
      )
    }
  }
]

/** The services that a node knows, by their names. */
export async function servicesOf(url: string): Promise<Map<string, string>> {
  const { RemoteServices } = JSON.parse(await post(url, 'pin/remote/service/ls')) as {
    RemoteServices: ReadonlyArray<{ Service: string; ApiEndpoint: string }>
  }
  return new Map(RemoteServices.map(({ Service, ApiEndpoint }) => [`service ${Service}`, ApiEndpoint]))
}
