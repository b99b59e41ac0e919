import type { Body, BodyPart } from '../body.ts'

export interface UploadedFile {
  readonly kind: 'file' | 'symlink'
  /** `''`: the sender gave it none. */
  readonly name: string
  readonly part: BodyPart
}

export interface UploadedFolder {
  readonly kind: 'directory'
  readonly name: string
  /** What lies in it, in the order sent; read it before the next of its parent's. What is not read is skipped. */
  readonly entries: AsyncIterable<Uploaded>
}

export type Uploaded = UploadedFile | UploadedFolder

/**
 * The parts of an upload as a tree, read as they arrive (boxo 0.19, files/multipartfile). A part two levels down makes the folder between
 * by itself; parts of one folder that do not follow each other make it twice.
 */
export function uploadedTree(body: Body): AsyncIterable<Uploaded> {
  return entriesBelow('/', new Walker(body))
}

/** Parts one at a time, with a look at the next. */
class Walker {
  readonly #parts: AsyncIterator<BodyPart>
  #next: BodyPart | undefined
  #over = false

  constructor(body: Body) {
    this.#parts = body[Symbol.asyncIterator]()
  }

  async peek(): Promise<BodyPart | undefined> {
    if (this.#next === undefined && !this.#over) {
      const step = await this.#parts.next()
      // a part without a path ends the upload for the reference, whatever follows
      if (step.done === true || step.value.path === '') this.#over = true
      else this.#next = step.value
    }
    return this.#next
  }

  consume(): void {
    this.#next = undefined
  }
}

async function* entriesBelow(folder: string, walker: Walker): AsyncIterable<Uploaded> {
  let entered: string | undefined
  for (;;) {
    const part = await walker.peek()
    if (part === undefined || !isBelow(part.path, folder)) return
    if (entered !== undefined && isBelow(part.path, entered)) {
      walker.consume()
      continue
    }
    const relative = part.path.slice(folder === '/' ? 1 : folder.length + 1)
    const slash = relative.indexOf('/')
    const name = slash === -1 ? relative : relative.slice(0, slash)
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`
    entered = name === '' ? undefined : path
    if (slash === -1) walker.consume()
    if (slash === -1 && part.kind !== 'directory') yield { kind: part.kind, name, part }
    else yield { kind: 'directory', name, entries: entriesBelow(path, walker) }
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path.startsWith(`${folder}/`)
}
