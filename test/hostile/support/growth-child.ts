/** Tries every decoder in a process with little memory, and tells the test that started it how each did. */
import { messageOf } from '../../../core/index.ts'
import { decoders } from './decoders.ts'
import { growsWithItsInput } from './growth.ts'

/** How one decoder did. */
export interface Report {
  readonly name: string
  /** What is wrong with it; undefined where nothing is. */
  readonly fault: string | undefined
}

const most = Number(process.argv[2])

for (const decoder of decoders) {
  let fault: string | undefined
  try {
    await growsWithItsInput(decoder)
    const { maxRSS } = process.resourceUsage()
    if (maxRSS * 1024 > most) fault = `the process needed ${maxRSS >> 10} MiB`
  } catch (error) {
    fault = messageOf(error)
  }
  const report: Report = { name: decoder.name, fault }
  process.send!(report)
}
process.disconnect()
