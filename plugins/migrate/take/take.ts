import { migrateErrors } from '../errors.ts'
import { translated } from '../kubo/config.ts'
import type { KuboRepo } from '../kubo/repo.ts'
import type { Moving } from '../needs.ts'
import { emptyReport, type Item } from '../report.ts'
import { takeBlocks } from './blocks.ts'
import { takeKeys } from './keys.ts'
import { takeNames } from './names.ts'
import { takePins } from './pins.ts'
import { takeReferences } from './references.ts'
import { takeTree } from './tree.ts'

export interface Taking {
  /** Go on where blocks are damaged, without them. */
  readonly skipDamaged: boolean
  readonly signal: AbortSignal
}

/**
 * Takes all of a repo over into this node's: the blocks first, and what refers to them only when all of them survive power loss. Each part can be
 * taken over twice, so one that was broken off is begun again; what was changed here meanwhile stays as it is here.
 *
 * @throws E_MIGRATE_OTHER, E_MIGRATE_DAMAGED, E_MIGRATE_CHANGED, E_MIGRATE_LEFT
 */
export async function* takeOver(kubo: KuboRepo, moving: Moving, { skipDamaged, signal }: Taking): AsyncGenerator<Item> {
  const { store, repo, model, pins, keys, names, references } = moving
  const { peerId } = repo.identity
  if (peerId !== kubo.identity.peerId) throw migrateErrors.E_MIGRATE_OTHER(repo.path ?? 'memory', peerId, kubo.identity.peerId)
  const report = emptyReport({ From: kubo.path, To: repo.path ?? '', RepoVersion: kubo.version, PeerID: peerId })
  for await (const done of takeBlocks(kubo.blocks, store, report.Blocks, signal)) yield { Step: 'blocks', Done: done }
  if (report.Blocks.Damaged.length > 0 && !skipDamaged) throw migrateErrors.E_MIGRATE_DAMAGED(report.Blocks.Damaged)
  await kubo.checkUnchanged()
  await takeReferences(kubo, references, report)
  for await (const done of takePins(kubo.pins, { pins, store, references }, { report, isNew: repo.isNew, signal })) {
    yield { Step: 'pins', Done: done }
  }
  await takeKeys(kubo, keys, report)
  await takeNames(kubo, names, report)
  if (kubo.root !== undefined) await takeTree(kubo.root, moving, { report, signal })
  report.Configuration.push(...translated(kubo.config, model).changes)
  yield { Report: report }
  if (report.Left.length > 0) throw migrateErrors.E_MIGRATE_LEFT(report.Left.length)
}
