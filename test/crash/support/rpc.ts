/** Requests as a client sends them, and what a CAR is made of. */
import { encode as cbor } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { varint } from '../../core/cid/encoded-varint.ts'

/** @param path - where the bytes lie, to refer to them there */
export type Part = readonly [name: string, bytes: Uint8Array<ArrayBuffer>, path?: string]

/** An answer with another status than 200. */
export class Refused extends Error {
  readonly status: number

  constructor(path: string, status: number, text: string) {
    super(`${path}: ${status} ${text}`)
    this.status = status
  }
}

/** @returns the whole answer @throws Refused; whatever `fetch` throws when the answer breaks off */
export async function post(url: string, path: string, parts: readonly Part[] = []): Promise<string> {
  const response = await fetch(`${url}/api/v0/${path}`, { method: 'POST', ...(parts.length > 0 && bodyOf(parts)) })
  const text = await response.text()
  if (!response.ok) throw new Refused(path, response.status, text)
  return text
}

const BOUNDARY = 'part-of-a-request'

function bodyOf(parts: readonly Part[]): { body: Blob; headers: Record<string, string> } {
  const pieces = parts.flatMap(([name, bytes, path]) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n`,
    path === undefined ? '\r\n' : `Abspath: ${encodeURI(path)}\r\n\r\n`,
    bytes,
    '\r\n'
  ])
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` }
  return { body: new Blob([...pieces, `--${BOUNDARY}--\r\n`]), headers }
}

export function lines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as T)
}

export async function blockOf(url: string, cid: string): Promise<Uint8Array> {
  const response = await fetch(`${url}/api/v0/block/get?arg=${cid}`, { method: 'POST' })
  if (response.status !== 200) throw new Refused(`block/get ${cid}`, response.status, await response.text())
  return new Uint8Array(await response.arrayBuffer())
}

export async function rawCid(bytes: Uint8Array): Promise<string> {
  return CID.createV1(0x55, await sha256.digest(bytes)).toString()
}

/** A CAR of version 1 with one root, a dag-cbor node that links to these leaves. */
export async function carOf(leaves: readonly Uint8Array[]): Promise<{ car: Uint8Array<ArrayBuffer>; root: string }> {
  const blocks = await Promise.all(leaves.map(async bytes => ({ cid: CID.createV1(0x55, await sha256.digest(bytes)), bytes })))
  const node = cbor({ leaves: blocks.map(({ cid }) => cid) })
  const root = CID.createV1(0x71, await sha256.digest(node))
  const header = cbor({ version: 1, roots: [root] })
  const sections = [{ cid: root, bytes: node }, ...blocks].flatMap(({ cid, bytes }) => [
    varint(cid.bytes.length + bytes.length),
    cid.bytes,
    bytes
  ])
  return { car: new Uint8Array(Buffer.concat([varint(header.length), header, ...sections])), root: root.toString() }
}
