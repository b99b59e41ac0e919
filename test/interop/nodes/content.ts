/** What nodes are given to add. */
import { seeded } from '../../helpers/random.ts'
import type { Body, Peer } from './peer.ts'

const BOUNDARY = 'interop-boundary'

/** A multipart body of files, by their paths. */
export function files(contents: Iterable<readonly [path: string, bytes: Uint8Array]>): Body {
  return {
    boundary: BOUNDARY,
    chunks: (function* () {
      for (const [path, bytes] of contents) {
        const name = encodeURIComponent(path)
        const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
        yield Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')])
      }
      yield Buffer.from(`--${BOUNDARY}--\r\n`)
    })()
  }
}

export const file = (bytes: Uint8Array): Body => files([['file', bytes]])

/** So many files of 1 KiB, each different. @param name - of each, of which there may be more than one block of names has room for */
export function* small(count: number, seed: number, name = (i: number) => `${i}`): Generator<readonly [string, Uint8Array]> {
  const random = seeded(seed)
  for (let i = 0; i < count; i++) yield [`folder/${name(i)}`, random.bytes(1024)]
}

/** Nodes of DAG-CBOR, each of which links to the one before. @returns the last */
export async function chain(peer: Peer, links: number, seed: number): Promise<string> {
  let cid = ''
  for (let i = 0; i < links; i++) cid = await dagPut(peer, { i, seed, ...(cid === '' ? {} : { next: { '/': cid } }) })
  return cid
}

/** @param value - as DAG-JSON has it */
export async function dagPut(peer: Peer, value: unknown): Promise<string> {
  const body = file(Buffer.from(JSON.stringify(value)))
  return (await peer.json<{ Cid: { '/': string } }>('dag/put?store-codec=dag-cbor&input-codec=dag-json', body)).Cid['/']
}
