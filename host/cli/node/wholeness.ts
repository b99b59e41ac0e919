import { Blockstore, Collector, hasCode, type Missing, messageOf, Repo } from '../../../core/index.ts'
import { OVER_STORAGE_MAX, repoSize, storageMax } from '../../../core/repo/size.ts'
import type { NodeHost } from '../../host.ts'

/** Nodes that are read: those that most repos have, and of larger ones what lies next to the roots. */
const MOST = 10_000
/** Sentences: who lost one block seldom lost it alone. */
const TOLD = 5

/** What to do about blocks that say what is kept. */
export const GET_BACK =
  'Get it back (holdfast block put, holdfast dag import, a peer that has it), or remove what refers to it (holdfast pin verify names pins; holdfast pin rm, holdfast files rm).'

/** A reason for which no collection begins, and what to do about it. */
interface Hindrance {
  readonly about: string
  readonly remedy: string
}

/** Says which blocks are missing without which nobody can tell what is kept, and who keeps something and is not here: no collection begins. */
export async function hindrances(host: NodeHost, signal: AbortSignal): Promise<Hindrance[]> {
  const found: Hindrance[] = []
  const collector = host.service(Collector)
  if (collector === undefined) return found
  try {
    for await (const missing of collector.missing({ signal, most: MOST })) {
      found.push({ about: sentence(missing), remedy: GET_BACK })
      if (found.length === TOLD) break
    }
  } catch (error) {
    if (!hasCode(error, 'E_KEEPER_ABSENT')) throw error
    found.push({ about: messageOf(error), remedy: 'The node works, and removes nothing by itself until then.' })
  }
  return found
}

/** Why the repo takes more than it may, where nothing sees to that. */
export async function overLimit(host: NodeHost, signal?: AbortSignal): Promise<string | undefined> {
  const [repo, store] = [host.service(Repo), host.service(Blockstore)]
  if (repo === undefined || store === undefined || host.service(Collector)?.isPeriodic === true) return undefined
  return BigInt(await repoSize(repo, store, signal)) > BigInt(storageMax(repo)) ? OVER_STORAGE_MAX : undefined
}

/** Tells the log of a node that has started what is wrong with what it keeps, beside its work. */
export function tellOfRepo(host: NodeHost): void {
  const stopping = new AbortController()
  const log = host.logs.get('host')
  const look = async () => {
    for (const { about, remedy } of await hindrances(host, stopping.signal)) log.error(`${about}. ${remedy}`)
    const over = await overLimit(host, stopping.signal)
    if (over !== undefined) log.error(over)
  }
  const looking = look().catch(error => {
    if (!stopping.signal.aborted) log.error({ err: error }, `what the node keeps could not be looked at: ${messageOf(error)}`)
  })
  host.beforeStop(() => {
    stopping.abort()
    return looking
  })
}

function sentence({ source, error }: Missing): string {
  return `a block of what '${source}' keeps is lost, and nothing is collected until it is back: ${error.message}`
}
