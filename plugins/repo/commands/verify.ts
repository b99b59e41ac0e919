import { z } from 'zod'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import { RAW } from '../../../core/cid/codes.ts'
import { decodeMultihash } from '../../../core/cid/multihash.ts'
import { MAX_DELAY } from '../../../core/concurrency/index.ts'
import { parseDuration } from '../../../core/go/index.ts'
import {
  Blocks,
  Blockstore,
  CID,
  command,
  demand,
  Host,
  messageOf,
  Network,
  optional,
  p,
  stream,
  WriteBarrier
} from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { checkBlocks } from '../check.ts'
import { dropDamaged } from '../drop.ts'
import { repoErrors } from '../errors.ts'

const reply = z.object({
  Msg: z.string().describe('The fault of a block with what was done about it, or the number of bad blocks.'),
  Progress: z.int().describe('Blocks looked at so far; 0 beside a message.')
})

export const verify = command.read('repo/verify', {
  help: 'Hash all blocks of the local store again, and name those that are not what they should be.',
  examples: [
    { title: 'Look for damaged blocks', args: 'repo verify' },
    { title: 'Fetch damaged blocks again', args: 'repo verify --heal' }
  ],
  needs: {
    store: Blockstore,
    host: Host,
    barrier: optional(WriteBarrier),
    blocks: optional(Blocks),
    network: optional(Network)
  },
  options: {
    drop: p.bool('Remove those that are damaged. Takes the access to write.'),
    heal: p.bool('Remove those that are damaged, and fetch them from peers again. Takes the access to write.'),
    healTimeout: p.duration('How long one may be looked for; 0 for as long as it takes.').raw().default('30s')
  },
  reply: stream(reply),
  xml: 'VerifyProgress',
  text: ({ Msg, Progress }) => (Msg === '' ? `${Progress} blocks processed.\r` : `${Msg}\n`),
  progress: { of: ({ Msg, Progress }) => (Msg === '' ? { done: Progress, unit: 'blocks', only: true } : undefined) },
  async *run({ store: blockstore, host, barrier, blocks, network }, { options, signal, caller, command: { path } }) {
    const { heal = false, drop = heal } = options
    const timeout = timeoutOf(options.healTimeout)
    if (heal) onlineForCommand(options.offline ? undefined : network)
    if (drop || heal) demand(caller, 'write', path)
    const store = fastBlocks(blockstore)
    let looked = 0
    const count = { bad: 0, removed: 0, healed: 0 }
    for await (const fault of checkBlocks(store, signal)) {
      if (fault !== undefined) {
        count.bad++
        let said = fault.says
        if ((drop || heal) && (await dropDamaged(fault.multihash, { store, barrier, signal }))) {
          count.removed++
          said += ', removed'
          if (heal) {
            const why = await fetchAgain(onlineForCommand(blocks), fault.multihash, timeout, signal)
            if (why === undefined) count.healed++
            said += why === undefined ? ', fetched again' : `, not fetched again: ${why}`
          }
        }
        yield { Msg: said, Progress: 0 }
      }
      yield { Msg: '', Progress: ++looked }
    }
    if (count.bad === 0) yield { Msg: 'verify complete, all blocks validated.', Progress: 0 }
    else if (!drop && !heal) throw host.level === '0.28' ? repoErrors.E_REPO_CORRUPT() : repoErrors.E_REPO_CORRUPT_NEWER(count.bad)
    else {
      const summary = `verify complete, ${count.bad} blocks corrupt, ${count.removed} removed${heal ? `, ${count.healed} healed` : ''}`
      if (heal && count.healed < count.removed) throw repoErrors.E_REPO_HEAL(summary, count.removed - count.healed)
      yield { Msg: summary, Progress: 0 }
    }
  }
})

/** Milliseconds; 0 for as long as it takes. @throws E_HEAL_TIMEOUT, E_HEAL_TIMEOUT_NEGATIVE */
function timeoutOf(text: string): number {
  let time: bigint
  try {
    time = parseDuration(text)
  } catch (error) {
    throw repoErrors.E_HEAL_TIMEOUT(messageOf(error))
  }
  if (time < 0n) throw repoErrors.E_HEAL_TIMEOUT_NEGATIVE()
  return time === 0n ? 0 : Math.max(1, Number(time / 1_000_000n))
}

/** @returns why it was not to be had; undefined where it is here */
async function fetchAgain(blocks: Blocks, multihash: Uint8Array, timeout: number, signal: AbortSignal): Promise<string | undefined> {
  const late = timeout === 0 ? [] : [AbortSignal.timeout(Math.min(timeout, MAX_DELAY))]
  try {
    await blocks.get(CID.createV1(RAW, decodeMultihash(multihash)), { signal: AbortSignal.any([signal, ...late]) })
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return late[0]?.aborted ? `nobody had it within ${timeout / 1000} s` : messageOf(error)
  }
}
