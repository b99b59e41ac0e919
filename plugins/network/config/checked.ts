import { parseDuration } from '../../../core/go/duration.ts'
import { plainNumbers } from '../../../core/go/json.ts'
import { type Json, messageOf, type Repo } from '../../../core/index.ts'
import { parsePeerAddress } from '../../../core/multiaddr/index.ts'
import { networkPluginErrors } from '../errors.ts'

/** The outcome of reading a text that stands under a key of the node configuration. @throws E_PEER_OF_CONFIG, which names the key */
export function readOf<T>(key: string, text: string, read: (text: string) => T): T {
  try {
    return read(text)
  } catch (error) {
    throw networkPluginErrors.E_PEER_OF_CONFIG(key, text, messageOf(error))
  }
}

/** Holds multiaddrs that stand under a key against their grammar, or against `read`. @throws E_PEER_OF_CONFIG */
export async function checkAddresses(
  key: string,
  addresses: readonly string[],
  read: (address: string) => Promise<unknown> = parsePeerAddress
): Promise<void> {
  for (const address of addresses) {
    await read(address).catch(error => {
      throw networkPluginErrors.E_PEER_OF_CONFIG(key, address, messageOf(error))
    })
  }
}

/** A number that cannot be less than 0; undefined where the key is not set. @throws E_PEER_OF_CONFIG */
export function countOf(repo: Repo, key: string): number | undefined {
  const count = repo.get<number | null>(key) ?? undefined
  if (count !== undefined && count < 0) throw networkPluginErrors.E_PEER_OF_CONFIG(key, String(count), 'it is less than 0')
  return count
}

/** A time in milliseconds that cannot be less than 0. @param otherwise - where the key is not set @throws E_PEER_OF_CONFIG */
export function timeOf(repo: Repo, key: string, otherwise: string): number {
  const text = repo.get<string | null>(key) || otherwise
  const time = readOf(key, text, parseDuration)
  if (time < 0n) throw networkPluginErrors.E_PEER_OF_CONFIG(key, text, 'it is less than 0')
  return Number(time / 1_000_000n)
}

/** A value of the section `Swarm` as the file itself says it, without defaults; undefined where it says nothing. */
export function saidInSwarm(repo: Repo, ...names: readonly string[]): Json | undefined {
  let at: Json | undefined = repo.config()['Swarm']
  for (const name of names) at = typeof at === 'object' && at !== null ? (at as Readonly<Record<string, Json>>)[name] : undefined
  return plainNumbers(at) ?? undefined
}
