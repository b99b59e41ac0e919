import { isAbsolute, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stackOf, withCauses } from '../../../core/errors.ts'
import type { Plugin } from '../../../core/index.ts'
import { packageRoot } from '../../version.ts'

/** A plugin with its place: its file, or the folder of its package, links followed; none of a built-in. */
interface Placed {
  readonly plugin: Pick<Plugin, 'name'>
  readonly place?: string
}

/** The name of the plugin whose file stands first in an error's stack; undefined for what comes from none, or has no stack. */
export function culpritOf(error: unknown, loaded: readonly Placed[]): string | undefined {
  for (const at of withCauses(error)) {
    for (const file of filesIn(stackOf(at))) {
      const owner = loaded.find(one => owns(one, file))
      if (owner !== undefined) return owner.plugin.name
    }
  }
  return undefined
}

/** This package as it is built, or its sources where a stack shows lines of those. */
const OWN = /^(?:dist\/)?(?:bundle|config|core|host|plugins)\//

/** Whether a file is of the host itself, or of a copy of it that a plugin lies beside. */
function isOfHost(file: string): boolean {
  const root = fileURLToPath(packageRoot)
  return file.includes('/node_modules/holdfast/') || (file.startsWith(root) && OWN.test(file.slice(root.length)))
}

const HEAD = /^(file:.*|\/.*):(\d+)$/
const FRAME = /^ {4}at (?:[^(]* \()?(file:[^)]*|\/[^)]*):(\d+):\d+\)?$/

/**
 * The file and line that an import failed at, in front of the stack or in its first frame of a file other than the host's own; empty where
 * neither is known.
 */
export function placeOf(error: unknown): string {
  const lines = stackOf(error).split('\n')
  const [head = ''] = lines
  // what stands behind it is the importer's
  const end = lines.findIndex(line => line.includes('ModuleJob'))
  const frames = end < 0 ? lines : lines.slice(0, end)
  for (const place of [HEAD.exec(head), ...frames.map(line => FRAME.exec(line))]) {
    if (!place) continue
    const [file = place[1]!] = place[1]!.startsWith('file:') ? pathOf(place[1]!) : []
    if (!isOfHost(file)) return ` (${file}:${place[2]})`
  }
  return ''
}

/** The files of a stack, that of the throw first. */
function filesIn(stack: string): string[] {
  return stack.split('\n').flatMap(line => {
    const place = placeIn(line.trim())
    if (place === undefined) return []
    if (isAbsolute(place)) return [place]
    return place.startsWith('file:') ? pathOf(place) : []
  })
}

/** The place of a frame, `at file:///x/y.js:1:2` or `at f (/x/y.js:1:2)`, without line and column. */
function placeIn(frame: string): string | undefined {
  if (!frame.startsWith('at ')) return undefined
  const open = frame.indexOf(' (')
  const place = open < 0 ? frame.slice(frame.lastIndexOf(' ') + 1) : frame.slice(open + 2, -1)
  const position = /:\d+:\d+$/.exec(place)
  return position === null ? undefined : place.slice(0, position.index)
}

function pathOf(url: string): string[] {
  try {
    return [fileURLToPath(url)]
  } catch {
    // a line of the message that looks like one of the stack
    return []
  }
}

/** The name of the plugin outside of this package that a file, or its URL, belongs to. */
export function ownerOf(file: string, loaded: readonly Placed[]): string | undefined {
  const [path] = file.startsWith('file:') ? pathOf(file) : [file]
  return path === undefined ? undefined : loaded.find(one => owns(one, path))?.plugin.name
}

/** A package owns its folder but for packages in it, a file itself. */
function owns({ place }: Placed, file: string): boolean {
  if (place === undefined) return false
  if (file === place) return true
  return file.startsWith(place + sep) && !file.slice(place.length).includes(`${sep}node_modules${sep}`)
}
