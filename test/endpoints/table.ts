import { glob, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Plugin } from '../../core/index.ts'

const root = new URL('../../../', import.meta.url)

/** Endpoints by the part of the specification that names them. `earlier` are those of an earlier release. */
export type Specified = Readonly<Record<'regular' | 'experimental' | 'deprecated' | 'removed' | 'earlier', readonly string[]>>

/** An endpoint, who serves it, and what shows that it does. */
export interface Endpoint {
  readonly path: string
  /** Plugins that declare it, with the status that it has there. */
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly status: string; readonly offByDefault: boolean }>
  /** Recorded requests that are replayed, and conversations that they are in. */
  readonly recorded: { readonly steps: number; readonly scenarios: number }
  /** Folders of tests that call it. */
  readonly tests: readonly string[]
}

export async function specifiedEndpoints(): Promise<Specified> {
  return JSON.parse(await readFile(new URL('test/endpoints/specified.json', root), 'utf8')) as Specified
}

/** All that the specification names and all that plugins declare, by path. */
export async function endpoints(plugins: readonly Plugin[]): Promise<Map<string, Endpoint>> {
  const specified = Object.values(await specifiedEndpoints()).flat()
  const declared = plugins.flatMap(({ commands }) => commands.map(({ path }) => path))
  const [recorded, tests] = await Promise.all([recordedSteps(), testSources()])
  const found = new Map<string, Endpoint>()
  for (const path of [...new Set([...specified, ...declared])].sort()) {
    const at = plugins.flatMap(({ name, commands, offByDefault }) =>
      commands.flatMap(command => (command.path === path ? [{ name, status: command.status, offByDefault }] : []))
    )
    const calls = callOf(path)
    const folders = tests.filter(({ text }) => calls.test(text)).map(({ folder }) => folder)
    found.set(path, {
      path,
      plugins: at,
      recorded: recorded.get(path) ?? { steps: 0, scenarios: 0 },
      tests: [...new Set(folders)].sort()
    })
  }
  return found
}

/** What an endpoint lacks; nothing for one that is served and tested. */
export function lacks({ path, plugins, recorded, tests }: Endpoint): string[] {
  return [
    ...(plugins.length === 0 ? [`${path}: no plugin has it`] : []),
    ...(recorded.steps === 0 && tests.length === 0 ? [`${path}: no test calls it`] : [])
  ]
}

/**
 * How a test calls an endpoint: by its path in quotes, with slashes or blanks, or by the words of a command line. One word may mean anything, so that it
 * has to stand where a call or a command line begins.
 */
function callOf(path: string): RegExp {
  const words = path.split('/')
  const quoted = (text: string) => `['"\`]${text}['"\`?]`
  // a command line knows those of the group `commands` without its name
  const line = `holdfast ${path.replace(/^commands\//, '').replaceAll('/', ' ')}\\b`
  if (words.length > 1) return new RegExp(`${quoted(words.join('[/ ]'))}|${words.map(quoted).join(', ')}|${line}`)
  return new RegExp(`(?:call|run|cli|commandLine)\\(\\s*\\[?['"\`]${path}['"\` ]|args(?::| =) \\[[^\\n]*${quoted(path)}\\]`)
}

async function testSources(): Promise<Array<{ readonly folder: string; readonly text: string }>> {
  const found: Array<{ readonly folder: string; readonly text: string }> = []
  for await (const file of glob('test/**/*.ts', { cwd: root }))
    if (!file.startsWith('test/endpoints/')) found.push({ folder: dirname(file), text: await readFile(new URL(file, root), 'utf8') })
  return found
}

interface Step {
  readonly cmd?: string
  readonly response: { readonly status: number }
}

async function recordedSteps(): Promise<Map<string, { steps: number; scenarios: number }>> {
  const found = new Map<string, { steps: number; scenarios: number }>()
  for await (const file of glob('test/conformance/kit/recorded*/*.json', { cwd: root })) {
    const { steps } = JSON.parse(await readFile(new URL(file, root), 'utf8')) as { readonly steps: readonly Step[] }
    const here = new Map<string, number>()
    // one that is not found calls nothing
    for (const { cmd, response } of steps) if (cmd !== undefined && response.status !== 404) here.set(cmd, (here.get(cmd) ?? 0) + 1)
    for (const [cmd, count] of here) {
      const { steps: before, scenarios } = found.get(cmd) ?? { steps: 0, scenarios: 0 }
      found.set(cmd, { steps: before + count, scenarios: scenarios + 1 })
    }
  }
  return found
}
