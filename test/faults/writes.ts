/** Every kind of write that docs/durability.md promises something of, and how to see that it is kept. */
import { blockOf, lines, type Part, post, Refused, rawCid } from '../crash/support/rpc.ts'

/** What was acknowledged. */
export interface Acknowledged {
  readonly kind: string
  /** Whether it survives a power cut. */
  readonly isDurable: boolean
  /** @returns what is wrong with it now */
  wrong(url: string): Promise<string | undefined>
}

export interface Write {
  readonly kind: string
  /** What is synced before the answer: a sync of one does nothing for another. */
  readonly by: 'store' | 'keystore' | 'folder'
  /** @param n - no other write of the same repo has this one @throws where it is refused */
  run(url: string, n: number): Promise<Acknowledged>
}

const SMALL = 700
const LARGE = 50_000

/** Bytes that no other write has. */
function bytesOf(kind: string, n: number, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let word = [...`${kind} ${n}`].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7)
  for (let i = 0; i < size; i++) {
    word = (Math.imul(word, 1_103_515_245) + 12_345) | 0
    bytes[i] = word >>> 16
  }
  return bytes
}

const asked = async (url: string, path: string) =>
  post(url, path).catch(error => (error instanceof Refused ? error.message : Promise.reject(error)))

/** What an answer says holds as long as another call answers with something that `expected` finds. */
function kept(kind: string, path: string, expected: RegExp, { isAbsent = false } = {}): Acknowledged {
  return {
    kind,
    isDurable: true,
    async wrong(url) {
      const answer = await asked(url, path)
      return expected.test(answer) === isAbsent ? `${path}: ${answer.slice(0, 300)}` : undefined
    }
  }
}

function blocks(kind: string, isPinned: boolean, all: readonly Uint8Array[], root?: string): Acknowledged {
  return {
    kind,
    isDurable: isPinned,
    async wrong(url) {
      for (const bytes of all) {
        const cid = await rawCid(bytes)
        const found = await blockOf(url, cid).catch(error => (error instanceof Refused ? error.message : Promise.reject(error)))
        if (typeof found === 'string' || Buffer.compare(found, bytes) !== 0)
          return `${cid}: ${typeof found === 'string' ? found : 'other bytes'}`
      }
      if (root === undefined) return undefined
      const answer = await asked(url, `pin/ls?arg=${root}`)
      return answer.includes(root) ? undefined : `${root} is not pinned: ${answer}`
    }
  }
}

function blockPut(kind: string, isPinned: boolean, size: number): Write {
  return {
    kind,
    by: 'store',
    async run(url, n) {
      const bytes = bytesOf(kind, n, size)
      await post(url, `block/put?pin=${isPinned}`, [['data', bytes]])
      return blocks(kind, isPinned, [bytes], isPinned ? await rawCid(bytes) : undefined)
    }
  }
}

/** @param chunk - bytes of a leaf */
function add(kind: string, size: number, chunk: number): Write {
  return {
    kind,
    by: 'store',
    async run(url, n) {
      const bytes = bytesOf(kind, n, size)
      const part: Part = ['file', bytes]
      const answer = await post(url, `add?cid-version=1&raw-leaves=true&chunker=size-${chunk}`, [part])
      const { Hash } = lines<{ Hash: string }>(answer).at(-1)!
      const leaves = Array.from({ length: Math.ceil(size / chunk) }, (_, i) => bytes.subarray(i * chunk, (i + 1) * chunk))
      return blocks(kind, true, leaves, Hash)
    }
  }
}

const idOf = (answer: string) => (JSON.parse(answer) as { Id: string }).Id

export const writes: readonly Write[] = [
  blockPut('block/put of a small block', false, SMALL),
  blockPut('block/put of a large block', false, LARGE),
  blockPut('block/put of a small block with pin', true, SMALL),
  blockPut('block/put of a large block with pin', true, LARGE),
  add('add of a small file', SMALL, 262_144),
  add('add of a large file', 3 * LARGE, LARGE),
  add('add of many small blocks', 96 * 4096, 4096),
  {
    kind: 'pin/add',
    by: 'store',
    async run(url, n) {
      const bytes = bytesOf('pin/add', n, n % 2 === 0 ? SMALL : LARGE)
      await post(url, 'block/put', [['data', bytes]])
      const cid = await rawCid(bytes)
      await post(url, `pin/add?arg=${cid}`)
      return blocks('pin/add', true, [bytes], cid)
    }
  },
  {
    kind: 'pin/rm',
    by: 'store',
    async run(url, n) {
      const bytes = bytesOf('pin/rm', n, SMALL)
      const cid = await rawCid(bytes)
      await post(url, 'block/put?pin=true', [['data', bytes]])
      await post(url, `pin/rm?arg=${cid}`)
      return kept('pin/rm', `pin/ls?arg=${cid}`, /is not pinned/)
    }
  },
  {
    kind: 'files/write',
    by: 'store',
    async run(url, n) {
      const text = `${n} `.repeat(n % 2 === 0 ? SMALL : LARGE)
      await post(url, `files/write?arg=/w${n}&create=true`, [['data', new Uint8Array(Buffer.from(text))]])
      return {
        kind: 'files/write',
        isDurable: true,
        async wrong(url) {
          const found = await asked(url, `files/read?arg=/w${n}`)
          return found === text ? undefined : `/w${n}: ${found.slice(0, 300)}`
        }
      }
    }
  },
  {
    kind: 'files/mkdir',
    by: 'store',
    async run(url, n) {
      await post(url, `files/mkdir?arg=/m${n}/below&parents=true`)
      return kept('files/mkdir', `files/stat?arg=/m${n}/below`, /directory/)
    }
  },
  {
    kind: 'key/gen',
    by: 'keystore',
    async run(url, n) {
      const id = idOf(await post(url, `key/gen?arg=g${n}`))
      return kept('key/gen', 'key/list', new RegExp(`"${id}","Name":"g${n}"|"Name":"g${n}","Id":"${id}"`))
    }
  },
  {
    kind: 'key/rename',
    by: 'keystore',
    async run(url, n) {
      await post(url, `key/gen?arg=from${n}`)
      const id = idOf(await post(url, `key/rename?arg=from${n}&arg=to${n}`))
      return kept('key/rename', 'key/list', new RegExp(`"${id}","Name":"to${n}"|"Name":"to${n}","Id":"${id}"`))
    }
  },
  {
    kind: 'key/rm',
    by: 'keystore',
    async run(url, n) {
      await post(url, `key/gen?arg=gone${n}`)
      await post(url, `key/rm?arg=gone${n}`)
      return kept('key/rm', 'key/list', new RegExp(`"gone${n}"`), { isAbsent: true })
    }
  },
  {
    kind: 'name/publish',
    by: 'store',
    async run(url, n) {
      const id = idOf(await post(url, `key/gen?arg=publisher${n}`))
      await post(url, `name/publish?arg=/ipfs/bafkqaaa/${n}&key=publisher${n}&resolve=false&allow-offline=true`)
      return kept('name/publish', `name/resolve?arg=${id}&recursive=false`, new RegExp(`/ipfs/bafkqaaa/${n}"`))
    }
  },
  {
    kind: 'config',
    by: 'folder',
    async run(url, n) {
      await post(url, `config?arg=Mine.V${n}&arg=${n}&json=true`)
      return kept('config', 'config/show', new RegExp(`"V${n}": ?${n}\\b`))
    }
  },
  {
    kind: 'bootstrap/add',
    by: 'folder',
    async run(url, n) {
      await post(url, `bootstrap/add?arg=/ip4/10.0.${n >> 8}.${n & 255}/tcp/1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ`)
      return kept('bootstrap/add', 'bootstrap/list', new RegExp(`/10\\.0\\.${n >> 8}\\.${n & 255}/`))
    }
  }
]

/** What is wrong with anything that was acknowledged. */
export async function wrongOf(url: string, all: readonly Acknowledged[]): Promise<string[]> {
  const wrong: string[] = []
  for (const one of all) {
    const found = await one.wrong(url)
    if (found !== undefined) wrong.push(`${one.kind}: ${found}`)
  }
  return wrong
}
