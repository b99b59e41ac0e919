import { dirname, join, normalize } from 'node:path'

export interface Import {
  readonly from: string
  /** A path of this project, or the name of a library. */
  readonly to: string
  readonly typeOnly: boolean
}

const STATEMENT = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** Every static and dynamic import of a source, project files as paths from the root. */
export function importsOf(file: string, source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(STATEMENT)].map(([, type, named, dynamic]) => {
    const to = (named ?? dynamic)!
    return { from: file, to: to.startsWith('.') ? normalize(join(dirname(file), to)) : to, typeOnly: type !== undefined }
  })
}

/** Which room each floor may look into, besides its own. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ['core'],
  plugins: ['core'],
  host: ['core', 'config']
}

const NO_CORE_LIBRARY = ['restify', 'formidable', 'cosmiconfig', 'http', 'node:http', 'node:https', 'node:readline']

/** What is wrong with an import, in one line; undefined when it points the right way. */
export function violation({ from, to, typeOnly }: Import): string | undefined {
  const [floor = '', room = ''] = from.split('/')
  const below = BELOW[floor]
  if (below === undefined) return undefined
  const project = ['core', 'config', 'plugins', 'host', 'test', 'bench', 'examples'].includes(to.split('/')[0] ?? '') && to.includes('/')
  if (!project) {
    return floor === 'core' && !typeOnly && NO_CORE_LIBRARY.includes(to)
      ? `${from} imports ${to}: core knows no HTTP and no command line`
      : undefined
  }
  const [toFloor = '', toRoom = ''] = to.split('/')
  if (toFloor === floor) {
    if (floor === 'plugins' && !room.endsWith('.ts') && room !== toRoom)
      return `${from} imports ${to}: a plugin never imports another plugin's file`
    return undefined
  }
  if (below.includes(toFloor)) return undefined
  if (floor === 'host' && to === 'plugins/catalogue.ts') return undefined
  return `${from} imports ${to}: ${floor} may look into ${['libraries', ...below].join(', ')} only`
}
