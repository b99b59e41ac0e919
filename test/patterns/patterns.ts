import { createRequire } from 'node:module'
import { parse, type Token } from 'acorn'
import { transform } from 'esbuild'

// the build that is JavaScript alone; the other one starts programs
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck')

/** A regular expression that stands in the sources. */
export interface Pattern {
  readonly file: string
  readonly source: string
  readonly flags: string
}

/** What a file of TypeScript has of regular expressions. */
export interface Found {
  readonly patterns: readonly Pattern[]
  /** How often it makes one of a text, which cannot be looked at here. */
  readonly made: number
}

const COMPILER = { compilerOptions: { experimentalDecorators: true, verbatimModuleSyntax: true } }

export async function patternsIn(file: string, text: string): Promise<Found> {
  const { code } = await transform(text, { loader: 'ts', tsconfigRaw: COMPILER })
  const patterns: Pattern[] = []
  let made = 0
  const onToken = (token: Token) => {
    const { type, value } = token as Token & { readonly value: unknown }
    if (type.label === 'regexp') {
      const { pattern, flags } = value as { pattern: string; flags: string }
      patterns.push({ file, source: pattern, flags })
    } else if (type.label === 'name' && value === 'RegExp') made++
  }
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken })
  return { patterns, made }
}

/** Milliseconds for one pattern; one that takes longer has to be made simpler. */
const PATIENCE = 60_000

/** Why a text could keep a pattern busy for longer than a time that grows with its length; undefined where none can. */
export function slowness({ source, flags }: Pattern): string | undefined {
  const found = checkSync(source, flags, { timeout: PATIENCE })
  switch (found.status) {
    case 'safe':
      return undefined
    case 'vulnerable':
      return `${found.complexity.summary}, as with ${found.attack.pattern}`
    case 'unknown':
      return `not found out (${found.error.kind})`
  }
}
