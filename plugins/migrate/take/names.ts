import { hasCode, messageOf, type Names } from '../../../core/index.ts'
import { formatName } from '../../../core/ipns/index.ts'
import type { KuboRepo } from '../kubo/repo.ts'
import type { Report } from '../report.ts'

/** Takes over what the names of the keys lead to, and the records of other names that are good still. */
export async function takeNames({ published, known }: KuboRepo, names: Names, report: Report): Promise<void> {
  const taken = new Set<string>()
  for (const { multihash, record } of published) {
    const name = formatName(multihash)
    taken.add(name)
    try {
      await names.takeOver(name, record)
      report.Names++
    } catch (error) {
      if (hasCode(error, 'E_RECORD_OLDER')) report.Kept.push(`the record of ${name}: a later one was published here`)
      else report.Left.push(`the record of ${name}: ${messageOf(error)}`)
    }
  }
  // of a name that was found elsewhere, a record that is good no more, or no better than the one that is known, is worth nothing
  for (const { multihash, record } of known)
    if (!taken.has(formatName(multihash))) await names.put(formatName(multihash), record).catch(() => {})
}
