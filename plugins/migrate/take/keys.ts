import type { Keys } from '../../../core/index.ts'
import type { KuboRepo } from '../kubo/repo.ts'
import type { Report } from '../report.ts'

/** Stores the keys. One of another pair under the same name is left as it is, and told. */
export async function takeKeys({ keys: theirs }: KuboRepo, keys: Keys, report: Report): Promise<void> {
  for (const [name, identity] of theirs) {
    const there = await keys.get(name)
    if (there === undefined) await keys.import(name, identity)
    if (there === undefined || there.peerId === identity.peerId) report.Keys.push(name)
    else report.Left.push(`the key '${name}': there is another one of that name`)
  }
}
