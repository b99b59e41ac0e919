import type { Body, BodyPart } from '../contract/body.ts'

/** An entry of the tree that an upload's parts make up by their paths. */
export interface TreeEntry {
  /** The path as a part has it: `/a`, `/dir/a`. `/` for a part without a name. */
  readonly path: string
  /** The last name of the path; `''` where there is none. */
  readonly name: string
  /** The depth: 1 for an entry at the top. */
  readonly depth: number
  readonly kind: BodyPart['kind']
  /** The part; undefined for a folder that none stands for, only the paths of others. */
  readonly part: BodyPart | undefined
}

/** A folder on the way to the present part, and the last entry that was met in it. */
interface OpenFolder {
  /** The path with a slash at its end. */
  readonly prefix: string
  entered: string | undefined
}

/**
 * The tree of an upload, folder before content, in the order of the parts (boxo 0.19, files/multipartfile). A folder ends with the first
 * part that does not lie in it; when it is met again, that is another entry of the same name. Parts below a file are skipped. The
 * first part without a path ends the upload.
 */
export async function* treeOf(body: Body): AsyncGenerator<TreeEntry> {
  const open: OpenFolder[] = [{ prefix: '/', entered: undefined }]
  for await (const part of body) {
    const { path } = part
    if (path === '') return
    while (!path.startsWith(open.at(-1)!.prefix)) open.pop()
    if (isBelowFile(path, open.at(-1)!)) continue
    for (;;) {
      const folder = open.at(-1)!
      const depth = open.length
      const end = path.indexOf('/', folder.prefix.length)
      if (end < 0) {
        folder.entered = path
        yield { path, name: path.slice(folder.prefix.length), depth, kind: part.kind, part }
        if (part.kind === 'directory') open.push({ prefix: path === '/' ? path : `${path}/`, entered: undefined })
        break
      }
      folder.entered = path.slice(0, end)
      yield { path: folder.entered, name: path.slice(folder.prefix.length, end), depth, kind: 'directory', part: undefined }
      // a piece of the path, not a copy: of a path with thousands of folders all copies would be open at once
      open.push({ prefix: path.slice(0, end + 1), entered: undefined })
    }
  }
}

/** A folder that was entered is open itself, so what lies below the last entry of this one lies below a file. */
function isBelowFile(path: string, { prefix, entered }: OpenFolder): boolean {
  return entered !== undefined && entered !== prefix && path.startsWith(entered) && path[entered.length] === '/'
}
