import { createHash } from 'node:crypto'

/** The longest name of a tool. */
const MOST = 64

/** The name of a command's tool: `pin/add` is `pin_add`. Of a path that is too long for one, its beginning and a hash of it. */
export function toolName(path: string): string {
  const name = path.replaceAll('/', '_')
  if (name.length <= MOST) return name
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return `${name.slice(0, MOST - hash.length - 1)}_${hash}`
}
