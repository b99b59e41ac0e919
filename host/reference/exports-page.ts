import { readFile } from 'node:fs/promises'
import { code } from './markdown.ts'

interface Exports {
  readonly values: Set<string>
  readonly types: Set<string>
}

const LIST = /^export (type )?\{([^{}]*)\}(?: from '([^']+)')?/gm
const ALL = /^export \* from '([^']+)'/gm
const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(const|function\*?|class|interface|type) (\w+)/gm

/** The page of what each entrance of the package exports, read from the sources. */
export async function exportsPage(root: URL): Promise<string> {
  const { exports } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { exports: Record<string, { types?: string }> }
  const sections: string[] = []
  for (const [path, { types }] of Object.entries(exports)) {
    if (types === undefined) continue
    const found: Exports = { values: new Set(), types: new Set() }
    await collect(new URL(types.replace('./dist/', './').replace(/\.d\.ts$/, '.ts'), root), found)
    const lines = [
      ['Values', found.values],
      ['Types', found.types]
    ] as const
    sections.push(`## ${path.replace(/^\./, 'holdfast')}\n\n${lines.flatMap(([kind, names]) => line(kind, names)).join('\n\n')}\n`)
  }
  return `# What can be imported\n\nThe exports of each entrance of the package, generated from its sources by \`npm run docs\`. What each entrance is for says the\n[guide](plugins.md#what-can-be-imported); signatures and comments stand in the declarations (\`.d.ts\`) that an editor shows.\n\n${sections.join('\n')}`
}

function line(kind: string, names: ReadonlySet<string>): string[] {
  return names.size === 0 ? [] : [`${kind}: ${[...names].sort().map(code).join(', ')}`]
}

async function collect(file: URL, { values, types }: Exports): Promise<void> {
  const text = await readFile(file, 'utf8')
  for (const [, isType, names = ''] of text.matchAll(LIST)) {
    for (const name of names.split(',').map(one => one.trim())) {
      if (name === '') continue
      const isOne = isType !== undefined || name.startsWith('type ')
      const called = name.replace(/^type /, '').replace(/^.* as /, '')
      ;(isOne ? types : values).add(called)
    }
  }
  for (const [, kind, name] of text.matchAll(DECLARED)) (kind === 'interface' || kind === 'type' ? types : values).add(name!)
  for (const [, from] of text.matchAll(ALL)) await collect(new URL(from!, file), { values, types })
}
