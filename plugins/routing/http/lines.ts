/** The lines of a text that comes in parts, without those that are empty. */
export async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of parts) {
    const all = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = all.pop()!
    yield* all.filter(line => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}
