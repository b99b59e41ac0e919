/** The shortest path that means the same, as Go's `path.Clean`: no `//`, `.`, inner `..` or slash at the end; `''` becomes `.`. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/')
  if (rooted && !path.includes('//') && !path.includes('/.') && (path.length === 1 || !path.endsWith('/'))) return path
  const kept: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') kept.push(name)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!rooted) kept.push(name)
  }
  return rooted ? `/${kept.join('/')}` : kept.join('/') || '.'
}
