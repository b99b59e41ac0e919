import { readFile } from 'node:fs/promises'
import { messageOf } from '../../../core/errors.ts'
import { cliErrors } from '../errors.ts'

/** Which entries of a folder are taken. */
export interface Rules {
  /** @param path - below the folder that was named, its names joined by `/` */
  takes(path: string, name: string, isFolder: boolean): boolean
}

export interface RuleOptions {
  /** Take names that start with a dot. */
  readonly hidden: boolean
  /** Patterns as in a `.gitignore`. */
  readonly patterns: readonly string[]
  /** A file of such patterns. */
  readonly file: string | undefined
}

/** @throws E_FILE_UNREADABLE */
export async function rulesOf({ hidden, patterns, file }: RuleOptions): Promise<Rules> {
  const lines = [...(file === undefined ? [] : (await readRules(file)).split(/\r?\n/)), ...patterns]
  const ignores = lines.length === 0 ? undefined : (await import('ignore')).default({ allowRelativePaths: true }).add(lines)
  return {
    takes: (path, name, isFolder) => (hidden || !name.startsWith('.')) && ignores?.ignores(isFolder ? `${path}/` : path) !== true
  }
}

async function readRules(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw cliErrors.E_FILE_UNREADABLE(file, messageOf(error))
  }
}
