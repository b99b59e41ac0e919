/** Whether a pattern matches a command's path. `*` stands for one word, `**` for any rest: `object/**` matches `object/get` and `object/patch/add-link`. */
export function matchesPath(pattern: string, path: string): boolean {
  if (!pattern.includes('*')) return pattern === path
  const source = pattern
    .split(/(\*\*|\*)/)
    .map(piece => (piece === '**' ? '.*' : piece === '*' ? '[^/]*' : piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('')
  return new RegExp(`^${source}$`).test(path)
}
