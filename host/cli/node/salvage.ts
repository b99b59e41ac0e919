import { Collector } from '../../../core/index.ts'
import type { Invocation } from '../line/invocation.ts'
import { hostFor } from './compose.ts'
import { GET_BACK } from './wholeness.ts'

/**
 * Has the stores of a repo made anew, and names the blocks that pins and the mutable tree miss.
 *
 * @returns whether none is missing
 * @throws what keeps them from being made, or opened afterwards
 */
export async function salvage(
  { globals, commands, terminal }: Pick<Invocation, 'globals' | 'commands' | 'terminal'>,
  tell: (line: string) => void
): Promise<boolean> {
  const host = await hostFor(globals, commands.loaded, { offline: 'holdfast repo salvage', log: { level: 'silent' }, salvage: tell })
  let missing = 0
  try {
    await host.start()
    for await (const { source, cid, error } of host.service(Collector)?.missing({ signal: terminal.interrupts() }) ?? []) {
      missing++
      tell(`missing of ${source}: ${cid} (${error.message})`)
    }
  } finally {
    await host.stop()
  }
  tell(missing === 0 ? 'nothing is missing of what pins and the mutable tree keep' : GET_BACK)
  return missing === 0
}
