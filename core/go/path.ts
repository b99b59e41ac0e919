/** The shortest path that means the same, as Go's `path.Clean`: no `//`, `.`, inner `..` or slash at the end; `''` becomes `.`. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/')
  const kept: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') kept.push(name)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!rooted) kept.push(name)
  }
  return rooted ? `/${kept.join('/')}` : kept.join('/') || '.'
}
