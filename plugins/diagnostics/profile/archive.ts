import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Collector, Scene } from './collectors.ts'

/**
 * A zip of what the collectors find, as it is found. Whoever stops reading, and the scene's signal, end all of it.
 *
 * @throws what a collector throws
 */
export async function* archive(collectors: readonly Collector[], scene: Scene): AsyncGenerator<Uint8Array> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([scene.signal, leaving.signal])
  const zip = new ZipFile()
  // it is declared as an interface that cannot be destroyed
  const out = zip.outputStream as Readable
  const end = (error: Error) => out.destroy(error)
  const leave = () => end(signal.reason)
  zip.on('error', end)
  signal.addEventListener('abort', leave)
  const filled = fill(zip, collectors, { ...scene, signal }).catch(end)
  try {
    for await (const chunk of out) yield chunk as Uint8Array
  } finally {
    signal.removeEventListener('abort', leave)
    leaving.abort()
    await filled
  }
}

async function fill(zip: ZipFile, collectors: readonly Collector[], scene: Scene): Promise<void> {
  const of = (kind: Collector['kind']) => collectors.filter(one => one.kind === kind && (kind !== 'sampled' || scene.milliseconds > 0))
  const samples = of('sampled').map(collector => started(collector, scene))
  // one that fails is heard of below, but the others have to end first
  const over = Promise.allSettled(samples)
  try {
    for (const { file, collect } of of('instant')) await add(zip, file, collect(scene), scene.signal)
    for (const { file, content } of await Promise.all(samples)) await add(zip, file, content, scene.signal)
    for (const { file, collect } of of('heap')) await add(zip, file, collect(scene), scene.signal)
    zip.end()
  } finally {
    await over
  }
}

/** Runs a collector up to its first piece, which is there when its time is over. */
async function started({ file, collect }: Collector, scene: Scene) {
  const pieces = (collect(scene) as AsyncIterable<string>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  async function* content() {
    if (first.done !== true) yield first.value
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  return { file, content: content() }
}

type Content = ReturnType<Collector['collect']>

async function add(zip: ZipFile, file: string, content: Content, signal: AbortSignal): Promise<void> {
  const source = Readable.from(octets(content), { signal })
  zip.addReadStream(source, file)
  await finished(source, { signal })
}

async function* octets(content: Content): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}
