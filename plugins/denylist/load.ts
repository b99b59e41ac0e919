import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Turns } from '../../core/concurrency/index.ts'
import { type Logger, messageOf } from '../../core/index.ts'
import { denylistErrors } from './errors.ts'
import { IRREGULAR, openList } from './file.ts'
import { parseRule } from './rule.ts'
import { RuleSet, type Ruling } from './rules.ts'

/** Characters of what is told of a wrong line, which may have megabytes. */
const TOLD = 300

/** How a list is read. */
interface Reading {
  /** Rules of all lists together. */
  readonly most: number
  readonly log: Pick<Logger, 'error' | 'debug'>
  readonly signal?: AbortSignal
  /** Called after each piece of the file. */
  readonly progress?: (() => void) | undefined
}

/** The lists of a node as they were at a moment. */
export class Lists {
  readonly rules = new RuleSet()
  readonly #files: Array<{ readonly path: string; readonly first: number }> = []
  #lines = 0

  /** Where a ruling stands: `FILE:LINE`. */
  placeOf({ line }: Ruling): string {
    const { path, first } = this.#files.findLast(file => file.first < line)!
    return `${path}:${line - first}`
  }

  /**
   * Reads a file behind those before. Lines that are no rules are told and left out; a file that has no others is refused.
   *
   * @throws E_DENYLIST_FILE, E_DENYLIST_RULES
   */
  async read(path: string, { most, log, signal, progress }: Reading): Promise<void> {
    const first = this.#lines
    this.#files.push({ path, first })
    const { header, lines } = await openList(path)
    const turns = new Turns(signal)
    let hasRules = false
    let wrong = 0
    let firstWrong = ''
    for await (const some of lines) {
      for (const { text, number } of some) {
        this.#lines = first + number
        try {
          const rule = parseRule(text)
          if (rule === undefined) continue
          this.rules.add(rule, this.#lines, statusOf(rule.hints.get(STATUS_HINT) ?? header.hints[STATUS_HINT]))
          hasRules = true
        } catch (error) {
          const why = `line ${number}: ${messageOf(error).slice(0, TOLD)}`
          if (++wrong === 1) firstWrong = why
          log.debug(`denylist ${path}, ${why}: left out`)
        }
      }
      if (this.rules.size > most) throw denylistErrors.E_DENYLIST_RULES(path, most)
      progress?.()
      if (turns.due) await turns.take()
    }
    if (wrong === 0) return
    if (!hasRules) throw denylistErrors.E_DENYLIST_FILE(path, `no line of it is a rule; ${firstWrong}`)
    log.error(`denylist ${path}: lines that are no rules were left out, ${wrong} of them; the first is ${firstWrong}`)
  }
}

const STATUS_HINT = 'gateway_status'
const statusOf = (hint: unknown): 410 | 451 => (String(hint) === '451' ? 451 : 410)

/** A file as it was at a moment. */
interface ListFile {
  readonly path: string
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** What settings name, as it was at a moment. */
export interface Found {
  readonly files: readonly ListFile[]
  /** What has the name of a list in a folder, and is no regular file. */
  readonly passedOver: readonly string[]
}

/** The files that settings name: folders stand for the `*.deny` in them, those that are hidden apart. @throws E_DENYLIST_FILE */
export async function findLists(paths: readonly string[]): Promise<Found> {
  const files: ListFile[] = []
  const passedOver: string[] = []
  for (const path of paths) {
    const named = await naming(path, stat(path))
    if (named.isFile()) files.push(listFile(path, named))
    else if (!named.isDirectory()) throw denylistErrors.E_DENYLIST_FILE(path, IRREGULAR)
    else {
      const names = (await naming(path, readdir(path))).filter(name => name.endsWith('.deny') && !name.startsWith('.')).sort()
      for (const one of names.map(name => join(path, name))) {
        const found = await naming(one, stat(one))
        if (found.isFile()) files.push(listFile(one, found))
        else passedOver.push(one)
      }
    }
  }
  return { files, passedOver }
}

const listFile = (path: string, { ino, size, mtimeMs }: Stats): ListFile => ({ path, ino, size, mtimeMs })

const naming = <T>(path: string, asked: Promise<T>): Promise<T> =>
  asked.catch(error => {
    throw denylistErrors.E_DENYLIST_FILE(path, messageOf(error))
  })

/** Whether a file was made shorter in its place, as one is that is written anew. */
export const isCut = ({ files }: Found, before: Found): boolean =>
  files.some(file => before.files.some(({ path, ino, size }) => path === file.path && ino === file.ino && file.size < size))
