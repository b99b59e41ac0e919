import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const recorded = fileURLToPath(new URL('../../../test/conformance/kit/recorded/', import.meta.url))

export interface Step {
  readonly name: string
  readonly cmd?: string
  readonly query?: ReadonlyArray<readonly [string, string]>
  readonly response: { readonly status: number; readonly headers?: Record<string, string>; readonly json?: unknown; readonly text?: string }
}

/** Every recorded request of a known command, by scenario. */
export async function conversations(known: (path: string) => boolean): Promise<Array<{ scenario: string; path: string; step: Step }>> {
  const files = (await readdir(recorded)).filter(file => file.endsWith('.json'))
  const all = await Promise.all(
    files.map(async file => {
      const { name, steps } = JSON.parse(await readFile(recorded + file, 'utf8')) as { name: string; steps: Step[] }
      return steps.map(step => ({ scenario: name, path: step.cmd ?? '', step }))
    })
  )
  return all.flat().filter(({ path }) => known(path))
}

/** Values that vary from run to run as one that may stand there. */
export function concrete(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(concrete)
  if (typeof value !== 'object' || value === null) return value
  const { $any, $set } = value as { $any?: string; $set?: unknown[] }
  if ($set !== undefined) return $set.map(concrete)
  if ($any !== undefined) return EXAMPLES[$any]
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, concrete(of)]))
}

const EXAMPLES: Readonly<Record<string, unknown>> = { string: 'text', number: 1, boolean: true, array: [], object: {} }
