/** The lines of a text that comes in parts, without those that are empty. */
export async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let incomplete = ''
  for await (const part of parts) {
    const all = (incomplete + decoder.decode(part, { stream: true })).split('\n')
    incomplete = all.pop()!
    yield* all.filter(line => line.trim() !== '')
  }
  if (incomplete.trim() !== '') yield incomplete
}
