import { Mfs, nothing, p } from '../../../core/index.ts'
import { splitPath } from '../paths.ts'

/** An option of the whole group. */
export const flushOption = p.bool('Keep the change, and all before it, before the answer.').alias('f').default(true)

/** An option of commands that put something at a path. */
export const parentsOption = p.bool('Make the directories above it.').alias('p')

/** The declaration of commands that change what is said of a file or directory. */
export const describing = { status: 'newer', needs: { mfs: Mfs }, reply: nothing() } as const

/** A path of the tree, which a shell completes one directory after the other. */
export function treePath(help: string) {
  return p.string(help).completedBy('files/ls', pathsIn, typed => ({ arg: folderOf(typed), long: 'true' }))
}

/** The declaration of commands that read or write the content of a file. */
export const ofFile = { needs: { mfs: Mfs }, args: { path: treePath('A file of the tree.') } } as const

function pathsIn({ Entries }: { Entries: ReadonlyArray<{ Name: string; Type: number }> | null }, typed: string): readonly string[] {
  return (Entries ?? []).map(({ Name, Type }) => `${folderOf(typed)}${Name}${Type === 1 ? '/' : ''}`)
}

function folderOf(typed: string): string {
  return splitPath(typed).folder || '/'
}
