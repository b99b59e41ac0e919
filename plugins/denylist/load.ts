import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Turns } from '../../core/concurrency/index.ts'
import { type Logger, messageOf } from '../../core/index.ts'
import { denylistErrors } from './errors.ts'
import { openList } from './file.ts'
import { parseRule } from './rule.ts'
import { RuleSet, type Ruling } from './rules.ts'

/** Lines of a list that are told to be wrong; of more their number. */
const TOLD = 5

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
   * Reads a file behind those before. A line that is no rule is told and left out.
   *
   * @throws E_DENYLIST_FILE, E_DENYLIST_RULES
   */
  async read(path: string, most: number, log: Pick<Logger, 'warn'>, signal?: AbortSignal): Promise<void> {
    const first = this.#lines
    this.#files.push({ path, first })
    const { header, lines } = await openList(path)
    const turns = new Turns(signal)
    let wrong = 0
    for await (const some of lines) {
      for (const { text, number } of some) {
        this.#lines = first + number
        try {
          const rule = parseRule(text)
          if (rule === undefined) continue
          this.rules.add(rule, this.#lines, statusOf(rule.hints.get(STATUS_HINT) ?? header.hints[STATUS_HINT]))
        } catch (error) {
          if (++wrong <= TOLD) log.warn(`denylist ${path}, line ${number}: ${messageOf(error)}: left out`)
        }
      }
      if (this.rules.size > most) throw denylistErrors.E_DENYLIST_RULES(path, most)
      if (turns.due) await turns.take()
    }
    if (wrong > TOLD) log.warn(`denylist ${path}: ${wrong} lines are no rules and were left out`)
  }
}

const STATUS_HINT = 'gateway_status'
const statusOf = (hint: unknown): 410 | 451 => (String(hint) === '451' ? 451 : 410)

/** The files that settings name: folders stand for the `*.deny` in them. @throws E_DENYLIST_FILE */
export async function filesOf(paths: readonly string[]): Promise<string[]> {
  const all: string[] = []
  for (const path of paths) {
    try {
      if (!(await stat(path)).isDirectory()) all.push(path)
      else
        all.push(
          ...(await readdir(path))
            .filter(name => name.endsWith('.deny'))
            .sort()
            .map(name => join(path, name))
        )
    } catch (error) {
      throw denylistErrors.E_DENYLIST_FILE(path, messageOf(error))
    }
  }
  return all
}

/** The stamp that tells that a file is another than it was. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map(async path => {
      const { ino, size, mtimeMs } = await stat(path)
      return [path, ino, size, mtimeMs].join('\0')
    })
  )
  return stamps.join('\n')
}
