import { Key } from 'interface-datastore'
import { Collector, Datastore, hasCode, messageOf, UNSURE_PINS } from '../../../core/index.ts'
import type { Invocation } from '../line/invocation.ts'
import { hostFor } from './compose.ts'
import { GET_BACK } from './wholeness.ts'

/**
 * Has the stores of a repo made anew, and names the blocks that pins and the mutable tree miss.
 *
 * @returns whether nothing is missing, and no pin can be lost
 * @throws what keeps them from being made, or opened afterwards
 */
export async function salvage(
  { globals, commands, terminal }: Pick<Invocation, 'globals' | 'commands' | 'terminal'>,
  tell: (line: string) => void
): Promise<boolean> {
  let [missing, isUnsure] = [0, false]
  const told = (line: string, isLoss = false) => {
    isUnsure ||= isLoss
    tell(line)
  }
  const host = await hostFor(globals, commands.loaded, { offline: 'holdfast repo salvage', log: { level: 'silent' }, salvage: told })
  try {
    await host.start()
    for await (const { source, cid, error } of host.service(Collector)?.missing({ signal: terminal.interrupts() }) ?? []) {
      missing++
      tell(`missing of ${source}: ${cid} (${error.message})`)
    }
  } catch (error) {
    if (!hasCode(error, 'E_KEEPER_ABSENT')) throw error
    tell(messageOf(error))
    return false
  } finally {
    await host.stop()
  }
  tell(missing === 0 ? `nothing is missing of what ${isUnsure ? 'is left of pins' : 'pins'} and the mutable tree keep` : GET_BACK)
  return missing === 0 && !isUnsure
}

/** Ends what keeps collections from beginning since a salvage that may have lost pins. @throws where a node works on the repo */
export async function takePinsAsComplete({ globals, commands }: Pick<Invocation, 'globals' | 'commands'>): Promise<void> {
  const host = await hostFor(globals, commands.loaded, { offline: 'holdfast repo salvage', log: { level: 'silent' } })
  try {
    await host.start()
    await host.service(Datastore)?.delete(new Key(UNSURE_PINS))
  } finally {
    await host.stop()
  }
}
