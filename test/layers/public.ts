import { dirname, join, normalize } from 'node:path'

/** A name that one file takes from another. */
export interface NamedImport {
  readonly from: string
  /** A path of this project. */
  readonly to: string
  /** `*`: all of it. */
  readonly name: string
}

const NAMES = /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+['"](\.[^'"]+)['"]/g
const WHOLE = /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?\*[^'"]*?from\s+['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g

/** What a source takes from other files of this project, name by name. */
export function namesTaken(file: string, source: string): NamedImport[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const at = (specifier: string) => normalize(join(dirname(file), specifier))
  const named = [...code.matchAll(NAMES)].flatMap(([, names = '', to = '']) =>
    names
      .split(',')
      .map(name => name.trim().replace(/^type\s+/, ''))
      .filter(name => name !== '')
      .map(name => ({ from: file, to: at(to), name: name.split(/\s+as\s+/)[0]! }))
  )
  const whole = [...code.matchAll(WHOLE)].map(([, statically, dynamic]) => ({ from: file, to: at((statically ?? dynamic)!), name: '*' }))
  return [...named, ...whole]
}

/** The sources that package.json lets others import, by the specifier: `./cid` → `core/cid/index.ts`. */
export function entrances(exports: Readonly<Record<string, string | { readonly types: string }>>): Map<string, string> {
  const found = new Map<string, string>()
  for (const [specifier, target] of Object.entries(exports)) {
    const source = typeof target === 'string' ? undefined : /^\.\/dist\/(.+)\.d\.ts$/.exec(target.types)?.[1]
    if (source !== undefined) found.set(specifier, `${source}.ts`)
  }
  return found
}

/**
 * Everything that can be had through some files, as `FILE NAME` of where each name stands; `FILE *` where a file is public as a whole.
 *
 * @param sourceOf - the text of a path
 */
export function publicNames(files: Iterable<string>, sourceOf: (path: string) => string): Set<string> {
  const names = new Set<string>()
  const add = (file: string) => {
    if (names.has(`${file} *`)) return
    names.add(`${file} *`)
    for (const { to, name } of namesTaken(file, sourceOf(file).replace(/^import[\s\S]*?$/gm, ''))) {
      if (name === '*') add(to)
      else names.add(`${to} ${name}`)
    }
  }
  for (const file of files) add(file)
  return names
}

/** What is wrong with a built-in plugin that takes something of `core` which nobody else could; undefined when anybody could. */
export function notPublic({ from, to, name }: NamedImport, known: ReadonlySet<string>): string | undefined {
  if (!from.startsWith('plugins/') || !to.startsWith('core/')) return undefined
  if (known.has(`${to} *`) || known.has(`${to} ${name}`)) return undefined
  return `${from} takes ${name} of ${to}, which no entrance of package.json's exports hands on: a plugin of somebody else's could not`
}
