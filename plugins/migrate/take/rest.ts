import { dirname, isAbsolute, join } from 'node:path'
import { type Keys, messageOf, type Names, type References } from '../../../core/index.ts'
import { formatName } from '../../../core/ipns/index.ts'
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

/** Takes over what the names of the keys lead to, and the records of other names that are good still. */
export async function takeNames({ published, known }: KuboRepo, names: Names, report: Report): Promise<void> {
  const own = new Set<string>()
  for (const { multihash, record } of published) {
    const name = formatName(multihash)
    own.add(name)
    try {
      await names.takeOver(name, record)
      report.Names++
    } catch (error) {
      report.Left.push(`the record of ${name}: ${messageOf(error)}`)
    }
  }
  // of a name that was found elsewhere, a record that is good no more, or no better than the one that is known, is worth nothing
  for (const { multihash, record } of known)
    if (!own.has(formatName(multihash))) await names.put(formatName(multihash), record).catch(() => {})
}

/** Notes where blocks lie whose bytes are not in the repo, if the settings here allow these places. Their bytes are not looked at. */
export async function takeReferences(
  { path, references: theirs }: KuboRepo,
  references: References | undefined,
  report: Report
): Promise<void> {
  for (const { multihash, ...place } of theirs) {
    // relative to the folder above the repo
    const at = /^https?:/.test(place.path) || isAbsolute(place.path) ? place.path : join(dirname(path), place.path)
    try {
      if (references === undefined) throw new Error("the plugin 'filestore' is off")
      await references.add(multihash, { ...place, path: at })
      report.References++
    } catch (error) {
      report.Left.push(`the reference to ${at}: ${messageOf(error)}`)
    }
  }
}
