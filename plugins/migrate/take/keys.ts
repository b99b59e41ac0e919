import { type Keys, messageOf } from '../../../core/index.ts'
import type { KuboRepo } from '../kubo/repo.ts'
import type { Report } from '../report.ts'

/**
 * Stores the keys, under each of their names. One that was renamed here keeps its name; of two pairs under one name the one that is here stays; both are
 * told.
 */
export async function takeKeys({ keys: theirs }: KuboRepo, keys: Keys, report: Report): Promise<void> {
  for (const [name, identity] of theirs) {
    try {
      const isTheirs = (mine: string) => mine === 'self' || theirs.get(mine)?.peerId === identity.peerId
      const renamed = (await keys.list()).find(mine => mine.peerId === identity.peerId && !isTheirs(mine.name))
      const there = (await keys.get(name)) ?? renamed ?? (await keys.import(name, identity))
      if (there.peerId !== identity.peerId) report.Left.push(`the key '${name}': there is another one of that name`)
      else if (there.name === name) report.Keys.push(name)
      else report.Kept.push(`the key '${name}': it is called '${there.name}' here`)
    } catch (error) {
      report.Left.push(`the key '${name}': ${messageOf(error)}`)
    }
  }
}
