import { DAG_PB } from '../../../core/cid/codes.ts'
import { cidToString } from '../../../core/cid/index.ts'
import { encodeUtf8 } from '../../../core/go/index.ts'
import type { CID, Mtime } from '../../../core/index.ts'
import { type DirectoryLink, decodeBlock, decodeUnixFs, momentOf } from '../../../core/unixfs/index.ts'
import { escapeHtml } from '../pages/escape.ts'
import { kindOf } from '../pages/kinds.ts'
import { type ContentRequest, LONGEST_CID } from '../request/content.ts'

/** Longest name that is shown whole, searched whole, and whose entry can be asked for by its path, in characters. */
export const LONGEST = 2048

/** Longest text that is searched for, in characters; names that are looked at for it, and shown. */
export const LONGEST_SEARCH = 256
export const MOST_SEARCHED = 100_000
export const MOST_FOUND = 1000

/** Entries whose own blocks are looked at for their kind and time, where they are stored here, and bytes of these blocks. */
export const MOST_OPENED = 256
export const MOST_OPENED_BYTES = 1 << 20

/** What the node of an entry says of it. */
interface Opened {
  readonly type: number
  readonly mtime: Mtime | undefined
}

/** The rows of a listing, of all entries or of those whose names have a text in them. */
export class EntryRows {
  readonly #request: ContentRequest
  readonly #base: string
  readonly #wanted: string | undefined
  #openings = MOST_OPENED
  #openBytes = MOST_OPENED_BYTES
  #shown = 0
  #searched = 0

  /** @param base - the address of the folder */
  constructor(request: ContentRequest, base: string, search: string | undefined) {
    this.#request = request
    this.#base = base
    this.#wanted = search === undefined ? undefined : searchable(search)
  }

  /** How many rows there were. */
  get shown(): number {
    return this.#shown
  }

  /** How many names were looked at. */
  get searched(): number {
    return this.#searched
  }

  /** Whether a search ends before the folder does. */
  get isOver(): boolean {
    return this.#wanted !== undefined && (this.#shown >= MOST_FOUND || this.#searched >= MOST_SEARCHED)
  }

  /** The row of the next entry; `''` for one that is not searched for. */
  row(entry: DirectoryLink): string | Promise<string> {
    if (this.isOver) return ''
    this.#searched++
    if (this.#wanted !== undefined && !searchable(entry.name).includes(this.#wanted)) return ''
    this.#shown++
    const { cid } = entry
    if (cid.code !== DAG_PB || cid.bytes.length > LONGEST_CID || this.#openings <= 0 || this.#openBytes <= 0) return this.#row(entry)
    return this.#open(cid).then(opened => this.#row(entry, opened))
  }

  /** The node of an entry, where it is stored here: a listing waits for nothing that it names. */
  async #open(cid: CID): Promise<Opened | undefined> {
    const { sources, options } = this.#request
    this.#openings--
    try {
      const bytes = await sources.blocks.get(cid, { ...options, offline: true })
      this.#openBytes -= bytes.length
      const { type, mtime } = decodeUnixFs(decodeBlock(cid, bytes, sources.codecs).node.data)
      return { type, mtime }
    } catch {
      options.signal?.throwIfAborted()
      return undefined
    }
  }

  #row({ name, cid, size }: DirectoryLink, opened?: Opened): string {
    return `<tr class="${kindOf(name, cid.code, opened?.type)}"><td>${this.#name(name)}</td><td class="date">${timeOf(opened?.mtime)}</td><td class="size">${formatSize(BigInt(size))}</td><td class="hash">${this.#hash(name, cid)}</td></tr>\n`
  }

  #name(name: string): string {
    // no address can be as long: a beginning of the name is shown
    if (name.length > LONGEST) return `${escapeHtml(name.slice(0, LONGEST).toWellFormed())}…`
    return link(`${this.#base}/${escapedSegment(name)}`, name)
  }

  #hash(name: string, cid: CID): string {
    if (name.length > LONGEST || cid.bytes.length > LONGEST_CID) return ''
    const { dnsLink, linkBase } = this.#request.site
    const text = cidToString(cid)
    const short = `${text.slice(0, 4)}…${text.slice(-4)}`
    return dnsLink === undefined
      ? `<a class="ipfs-hash" translate="no" href="${escapeHtml(`${linkBase}/ipfs/${text}?filename=${encodeURIComponent(escapedSegment(name))}`)}">${short}</a>`
      : `<a class="ipfs-hash" translate="no" href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener">${short}</a>`
  }
}

/** Longest name whose letters may be composed in another way than those that are searched for, in characters: marks in a row are put in order one by one. */
const LONGEST_COMPOSED = 255

/** A name as it is searched. */
function searchable(name: string): string {
  return (name.length <= LONGEST_COMPOSED ? name.normalize('NFC') : name.slice(0, LONGEST)).toLowerCase()
}

export const link = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(text.toWellFormed())}</a>`

/** A name as one segment of a path: nothing in it ends or leads out of the segment. */
export function escapedSegment(name: string): string {
  const escaped = encodeUtf8(name)
    .toString('latin1')
    .replace(/[^\w\-.~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
  return escaped === '.' || escaped === '..' ? escaped.replaceAll('.', '%2E') : escaped
}

/** A time of modification to the minute, in UTC; `''` for none. */
export function timeOf(mtime: Mtime | undefined): string {
  if (mtime === undefined) return ''
  const { year, monthNumber, day, clock } = momentOf(mtime.seconds)
  const date = `${String(year).padStart(4, '0')}-${monthNumber}-${day}`
  const text = `${date} ${clock.slice(0, 5)}`
  // a machine reads years of four digits alone (HTML, dates and times)
  return year < 1n || year > 9999n ? `<span>${text}</span>` : `<time datetime="${date}T${clock}Z">${text}</time>`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']

/** A number of bytes in SI units: `1.2 kB`. */
export function formatSize(size: bigint): string {
  if (size < 10n) return `${size < 0n ? 0 : size} B`
  let value = Number(size)
  let unit = 0
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  const rounded = Math.floor(value * 10 + 0.5) / 10
  return `${unit > 0 && rounded < 10 ? rounded.toFixed(1) : Math.round(rounded)} ${UNITS[unit]}`
}
