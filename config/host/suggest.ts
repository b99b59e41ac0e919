/** ` — did you mean 'pins'?` for a near miss, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let least = limit + 1
  for (const candidate of known) {
    const d = distance(word.toLowerCase(), candidate.toLowerCase())
    if (d < least) {
      least = d
      best = candidate
    }
  }
  return best === undefined ? '' : ` — did you mean '${best}'?`
}

/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
export function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let d = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, beforeLast[j - 2]! + 1)
      row.push(d)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
