import { dirname, isAbsolute, join } from 'node:path'
import { messageOf, type References } from '../../../core/index.ts'
import type { KuboRepo } from '../kubo/repo.ts'
import type { Report } from '../report.ts'

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
