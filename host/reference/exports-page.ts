import { readFile } from 'node:fs/promises'
import { code } from './markdown.ts'

interface Exports {
  readonly values: Set<string>
  readonly types: Set<string>
}

/** Words between `export` and what is declared. */
const MODIFIERS: ReadonlySet<string> = new Set(['', 'declare', 'abstract', 'async'])

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
  for (const statement of `\n${text}`.split('\nexport ').slice(1)) {
    if (statement.startsWith('* from ')) await collect(new URL(statement.split("'", 2)[1]!, file), { values, types })
    else if (statement.startsWith('{') || statement.startsWith('type {')) {
      const isType = statement.startsWith('type')
      for (const name of statement.slice(statement.indexOf('{') + 1, statement.indexOf('}')).split(',')) {
        const one = name.trim()
        if (one !== '') (isType || one.startsWith('type ') ? types : values).add(one.split(' ').at(-1)!)
      }
    } else {
      const [kind, name] = statement.split(/\W/, 8).filter(word => !MODIFIERS.has(word))
      ;(kind === 'interface' || kind === 'type' ? types : values).add(name!)
    }
  }
}
