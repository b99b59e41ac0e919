// Leaves libraries out of source maps: where their sources lie in an installation is not known when the package is made.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** A map (version 3) with those of its sources that `keeps` says yes to; what comes of others is mapped to nothing. */
export function withSources(map, keeps) {
  const kept = map.sources.filter(keeps)
  const places = map.sources.map(source => kept.indexOf(source))
  // source, line, column and name: each is written as the difference to the one before, over all lines
  const read = [0, 0, 0, 0]
  const written = [0, 0, 0, 0]
  const lines = map.mappings.split(';').map(line => {
    let column = 0
    let last = 0
    const segments = line === '' ? [] : line.split(',').map(segment => {
      const [ahead, ...rest] = decoded(segment)
      column += ahead
      rest.forEach((difference, i) => { read[i] += difference })
      const place = rest.length === 0 ? -1 : places[read[0]]
      const fields = place < 0 ? [] : [place, ...read.slice(1, rest.length)]
      const text = encoded([column - last, ...fields.map((value, i) => value - written[i])])
      last = column
      fields.forEach((value, i) => { written[i] = value })
      return text
    })
    return segments.join(',')
  })
  return { ...map, sources: kept, mappings: lines.join(';') }
}

/** The numbers of a segment, which are in base 64, 5 bits a digit, the lowest first, their sign in the lowest bit. */
function decoded(segment) {
  const numbers = []
  let number = 0
  let shift = 0
  for (const character of segment) {
    const digit = DIGITS.indexOf(character)
    number += (digit & 31) * 2 ** shift
    shift += 5
    if (digit & 32) continue
    numbers.push(number & 1 ? -(number >>> 1) : number >>> 1)
    number = shift = 0
  }
  return numbers
}

function encoded(numbers) {
  let text = ''
  for (const number of numbers) {
    let rest = number < 0 ? -number * 2 + 1 : number * 2
    do {
      text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)]
      rest >>>= 5
    } while (rest > 0)
  }
  return text
}
