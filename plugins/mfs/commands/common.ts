import { p } from '../../../core/index.ts'

/** An option of the whole group. */
export const flushOption = p.bool('Keep the change, and all before it, before the answer.').alias('f').default(true)

/** A path of the tree, which a shell completes by the names in the root. */
export function treePath(help: string) {
  return p.string(help).completedBy('files/ls', rootNames, { arg: '/' })
}

function rootNames({ Entries }: { Entries: ReadonlyArray<{ Name: string }> | null }): readonly string[] {
  return (Entries ?? []).map(({ Name }) => `/${Name}`)
}
