import { z } from 'zod'
import { cidToString, parseCid } from '../../core/cid/parse.ts'
import { blockErrors, hasCode, messageOf, type Reference, type References, stream } from '../../core/index.ts'
import { filestoreErrors } from './errors.ts'
import { cidOfReference } from './store.ts'

/** The statuses of a reference (boxo 0.19, filestore/util.go). */
const STATUS = { ok: 0, fileError: 10, fileMissing: 11, fileChanged: 12, other: 20, keyMissing: 30 } as const

const NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'ok'],
  [10, 'error'],
  [11, 'no-file'],
  [12, 'changed'],
  [20, 'ERROR'],
  [30, 'missing']
])

const uint64 = z.int().meta({ go: 'uint64' })

const listed = z.object({
  Status: z.int(),
  ErrorMsg: z.string(),
  Key: z.object({ '/': z.string() }).nullable(),
  FilePath: z.string(),
  Offset: uint64,
  Size: uint64
})

export type Listed = z.output<typeof listed>

export const listedReply = stream(listed)

/** A line as the reference's command line has it: key, size, path, offset. */
export function listedText({ Key, FilePath, Offset, Size }: Listed): string {
  return `${(Key?.['/'] ?? '<corrupt key>').padEnd(50)} ${String(Size).padStart(6)} ${FilePath} ${Offset}\n`
}

/** The same behind its status, and what is wrong. */
export function verifiedText(item: Listed): string {
  const wrong = item.ErrorMsg === '' ? '' : `        ${item.ErrorMsg}\n`
  return `${(NAMES.get(item.Status) ?? String(item.Status)).padEnd(7)} ${listedText(item)}${wrong}`
}

/** The noted references, not looked at any further. */
export function notedOf(reference: Reference): Listed {
  const { corrupt = '' } = reference
  return shown(reference, corrupt === '' ? STATUS.ok : STATUS.other, corrupt)
}

/** The noted references, and whether the bytes are still there. */
export async function verifiedOf(reference: Reference, references: References, signal: AbortSignal): Promise<Listed> {
  if (reference.corrupt !== undefined) return notedOf(reference)
  try {
    await references.read(reference.multihash, { signal })
    return shown(reference, STATUS.ok, '')
  } catch (error) {
    signal.throwIfAborted()
    return shown(reference, statusOf(error), messageOf(error))
  }
}

/** The same of the block with this CID, whether it is referred to or not. */
export async function verifiedCid(text: string, references: References, signal: AbortSignal): Promise<Listed> {
  let multihash: Uint8Array
  try {
    multihash = parseCid(text).multihash.bytes
  } catch (error) {
    return { Status: STATUS.other, ErrorMsg: `${text}: ${messageOf(error)}`, Key: null, FilePath: '', Offset: 0, Size: 0 }
  }
  const reference = await references.get(multihash, { signal })
  if (reference !== undefined) return verifiedOf(reference, references, signal)
  const key = cidToString(cidOfReference(multihash))
  const nowhere = { multihash, path: '', offset: 0, size: 0 }
  return shown(nowhere, STATUS.keyMissing, blockErrors.E_BLOCK_MISSING(key).message)
}

/** Whether a block cannot be had where it is noted: its file or URL is gone, has changed or cannot be read. */
export function isBad({ Status }: Listed): boolean {
  return Status === STATUS.fileError || Status === STATUS.fileMissing || Status === STATUS.fileChanged
}

function statusOf(error: unknown): number {
  if (hasCode(error, 'E_REFERENCE_MISSING')) return STATUS.fileMissing
  if (hasCode(error, 'E_REFERENCE_CHANGED') || hasCode(error, 'E_REFERENCE_SHORT')) return STATUS.fileChanged
  return error instanceof Error && 'code' in error && String(error.code).startsWith('E_REFERENCE_') ? STATUS.fileError : STATUS.other
}

function shown({ multihash, path, offset, size }: Reference, Status: number, ErrorMsg: string): Listed {
  return { Status, ErrorMsg, Key: { '/': cidToString(cidOfReference(multihash)) }, FilePath: path, Offset: offset, Size: size }
}

/** All references: in the order of their keys, or of files and places in them. @throws E_FILESTORE_OFF, E_REFERENCES_SORTED */
export async function* allReferences(
  references: References,
  { fileOrder, most, signal }: { readonly fileOrder: boolean; readonly most: number; readonly signal: AbortSignal }
): AsyncGenerator<Reference> {
  if (!fileOrder) return yield* references.list({ signal })
  const all: Reference[] = []
  for await (const reference of references.list({ signal })) {
    if (all.push(reference) > most) throw filestoreErrors.E_REFERENCES_SORTED(most)
  }
  const inFile = (a: Reference, b: Reference) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) || a.offset - b.offset
  yield* all.sort(inFile)
}

/** @throws E_FILESTORE_OFF */
export function checkEnabled(references: References): void {
  if (!references.isEnabled) throw filestoreErrors.E_FILESTORE_OFF()
}
