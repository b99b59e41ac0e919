import { readFileSync } from 'node:fs'

/** The folder of this package. */
export const packageRoot = new URL('../../', import.meta.url)

/** A file of the build that this code runs from: of the bundle, or as the compiler left it. @param path - e.g. `host/index.js` */
export function builtFile(path: string): URL {
  const bundled = import.meta.url.startsWith(new URL('dist/bundle/', packageRoot).href)
  return new URL(`dist/${bundled ? 'bundle/' : ''}${path}`, packageRoot)
}

/** holdfast's own version, from its package.json. */
export const version: string = (JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }).version
