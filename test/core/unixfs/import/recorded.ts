import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { hashByName } from '../../../../core/cid/hashes.ts'
import { cidToString } from '../../../../core/cid/parse.ts'
import type { Body } from '../../../../core/contract/body.ts'
import { cleanPath } from '../../../../core/go/path.ts'
import { queryUnescape } from '../../../../core/go/query.ts'
import { seeded } from '../../../helpers/random.ts'
import { defaults, imported, inPieces, type Options, partOf } from './upload.ts'

const recorded = fileURLToPath(new URL('../../../../../test/conformance/kit/recorded/', import.meta.url))

type Data = string | { random?: number; seed?: number; zeros?: number; repeat?: string; times?: number; concat?: Data[] }

interface Part {
  filename?: string
  data: Data
  disposition?: string
  type?: string | null
  count?: number
}

export interface RecordedStep {
  name: string
  cmd?: string
  query?: Array<[string, string]>
  parts?: Part[]
  compare?: string
  response: { status: number; json?: Answer[]; trailers?: Record<string, string> }
}

export interface Answer {
  Name?: string
  Hash?: string
  Bytes?: number
  Size?: string
}

/** The uploads of a recorded conversation that the reference took, and what it answered. */
export async function recordedAdds(scenario: string): Promise<RecordedStep[]> {
  const { steps } = JSON.parse(await readFile(`${recorded}${scenario}.json`, 'utf8')) as { steps: RecordedStep[] }
  return steps.filter(
    ({ cmd, response, parts, query = [], compare }) =>
      cmd === 'add' &&
      compare === undefined &&
      response.status === 200 &&
      Array.isArray(response.json) &&
      response.json.length > 0 &&
      parts?.every(part => part.disposition === undefined) === true &&
      !query.some(([key]) => ['cid-base', 'to-files', 'encoding', 'offline'].includes(key))
  )
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data)
  if (data.random !== undefined) return seeded(data.seed ?? 1).bytes(data.random)
  if (data.zeros !== undefined) return Buffer.alloc(data.zeros)
  if (data.concat !== undefined) return Buffer.concat(data.concat.map(bytesOf))
  return Buffer.from(data.repeat!.repeat(data.times!))
}

function bodyOf(parts: readonly Part[]): Body {
  const paths = parts.flatMap(part => {
    const count = part.count ?? 1
    return Array.from({ length: count }, (_, i) => {
      const at = (text: string) =>
        part.count === undefined
          ? text
          : text.replaceAll('{i}', String(i)).replaceAll('{0i}', String(i).padStart(String(count - 1).length, '0'))
      return { name: at(part.filename ?? ''), data: typeof part.data === 'string' ? at(part.data) : part.data, type: part.type }
    })
  })
  return (async function* () {
    for (const { name, data, type } of paths) {
      const kind = type === 'application/x-directory' ? 'directory' : type === 'application/symlink' ? 'symlink' : 'file'
      const part = partOf('', kind, inPieces(bytesOf(data), 65_536))
      yield { ...part, path: cleanPath(`/${unescaped(name)}`) }
    }
  })()
}

function unescaped(name: string): string {
  try {
    return queryUnescape(name)
  } catch {
    return name
  }
}

/** What the importer answers, in the words of the reference, and how it breaks off. */
export async function answersTo({ parts, query = [] }: RecordedStep, shardingThreshold: number) {
  const asked = new Map(query)
  const on = (...names: string[]) => names.some(name => asked.has(name) && asked.get(name) !== 'false')
  const hash = hashByName((asked.get('hash') ?? 'sha2-256').toLowerCase())!
  const version = asked.has('cid-version') ? Math.max(0, Number(asked.get('cid-version'))) : 0
  const cidVersion = hash === 0x12 ? version : 1
  const options: Partial<Options> = {
    chunker: asked.get('chunker') ?? asked.get('s') ?? defaults.chunker,
    layout: on('trickle', 't') ? 'trickle' : 'balanced',
    rawLeaves: asked.has('raw-leaves') ? on('raw-leaves') : cidVersion === 1,
    cidVersion: cidVersion as 0 | 1,
    hash,
    inlineUpTo: on('inline') ? Number(asked.get('inline-limit') ?? 32) : undefined,
    wrap: on('wrap-with-directory', 'w'),
    shardingThreshold
  }
  const answers: Answer[] = []
  const { events, error } = await imported(bodyOf(parts!), options)
  for (const event of events) {
    if (event.type === 'progress') {
      if (on('progress', 'p')) answers.push({ Name: event.name.toWellFormed(), ...(event.bytes > 0 && { Bytes: event.bytes }) })
    } else if (event.type === 'directory' || !on('silent')) {
      answers.push({ Name: event.name.toWellFormed(), Hash: cidToString(event.cid), Size: String(event.size) })
    }
  }
  return { answers, error }
}
