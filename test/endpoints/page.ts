import type { Plugin } from '../../core/index.ts'
import { blocks, code, GENERATED, table } from '../../host/reference/markdown.ts'
import { type Endpoint, endpoints, specifiedEndpoints } from './table.ts'

const HEADINGS = {
  regular: 'Regular',
  experimental: 'Experimental',
  deprecated: 'Deprecated',
  removed: 'Removed: they say what replaced them',
  earlier: 'Of an earlier release'
} as const

/** Every endpoint with its plugin, its status, and what shows that it answers as it should. */
export async function endpointsPage(plugins: readonly Plugin[]): Promise<string> {
  const [all, specified] = await Promise.all([endpoints(plugins), specifiedEndpoints()])
  const named = new Set(Object.values(specified).flat())
  const sections = Object.entries(HEADINGS).flatMap(([part, heading]) => [
    `### ${heading}`,
    rows(specified[part as keyof typeof HEADINGS].map(path => all.get(path)!))
  ])
  return blocks(
    GENERATED,
    '# Endpoints',
    'Every endpoint of the specification of the RPC (0.28), and all others of the plugins that ship: which plugin serves it, its status, how many recorded requests of it are replayed, and the folders of tests that call it. `npm run check` fails where one has no plugin or is called by no test.',
    '## Of the specification',
    ...sections,
    '## Beyond the specification',
    'Those of status `newer` are of later versions of Kubo, up to 0.42; the others are this node’s own.',
    rows([...all.values()].filter(({ path }) => !named.has(path)))
  )
}

function rows(some: readonly Endpoint[]): string {
  return table(
    ['Endpoint', 'Plugin', 'Status', 'Recorded requests', 'Tests'],
    some.map(({ path, plugins, recorded: { steps, scenarios }, tests }) => [
      code(path),
      plugins.map(({ name, offByDefault }) => `[${name}](commands/${name}.md)${offByDefault ? ' (off by default)' : ''}`).join(', '),
      plugins.map(({ status }) => status).join(', '),
      steps === 0 ? '' : `${steps} in ${scenarios}`,
      tests.map(code).join(', ')
    ])
  )
}
