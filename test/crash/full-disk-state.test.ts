/** A disk that is full, and keys, the configuration, the tree and names: what cannot be kept is refused in words, what was acknowledged stays. */
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../helpers/folder.ts'
import { commandLine } from '../helpers/process/command-line.ts'
import { seeded } from '../helpers/random.ts'
import { lines, type Part, post, Refused } from './support/rpc.ts'
import { laden, onDisk, start } from './support/small-disk.ts'
import { rehashAll } from './support/verify.ts'

const FULL = /E?NOSPC|No space left on device|no space left/
const PEER = (n: number) => `/ip4/10.0.0.${n}/tcp/1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ`

interface Change {
  readonly path: string
  readonly parts?: readonly Part[]
  /** Whether it is done; `refused`: the CID of a directory that changed is asked for, which has to be written first, and there is no room for it. */
  isDone(url: string): Promise<boolean | 'refused'>
}

const asks = (path: string, found: RegExp) => async (url: string) => {
  try {
    return found.test(await post(url, path))
  } catch (error) {
    if (error instanceof Refused && error.status === 500) return FULL.test(error.message) ? 'refused' : false
    throw error
  }
}

/** Changes of everything, each of another thing; `n` tells one round from another. */
function changes(n: number): readonly Change[] {
  const text = new Uint8Array(Buffer.from(`text ${n} ${'x'.repeat(600)}`))
  const isText = new RegExp(`^text ${n} `)
  return [
    { path: `files/write?arg=/w${n}&create=true`, parts: [['f', text]], isDone: asks(`files/read?arg=/w${n}`, isText) },
    { path: `files/cp?arg=/first&arg=/c${n}`, isDone: asks(`files/read?arg=/c${n}`, /^first/) },
    { path: `files/mkdir?arg=/m${n}/below&parents=true`, isDone: asks(`files/stat?arg=/m${n}/below`, /directory/) },
    { path: `files/chcid?arg=/folder${n % 2}&hash=${n % 4 < 2 ? 'sha2-512' : 'blake2b-256'}`, isDone: asks('files/ls', /first/) },
    { path: `key/gen?arg=k${n}`, isDone: asks('key/list', new RegExp(`"k${n}"`)) },
    { path: `config?arg=Mine.V${n}&arg=${n}&json=true`, isDone: asks('config/show', new RegExp(`"V${n}": ?${n}\\b`)) },
    {
      path: `pin/remote/service/add?arg=s${n}&arg=http://127.0.0.1:9&arg=secret`,
      isDone: asks('pin/remote/service/ls', new RegExp(`"s${n}"`))
    },
    { path: `pin/service/token/new?arg=c${n}`, isDone: asks('pin/service/token/list', new RegExp(`"c${n}"`)) },
    { path: `bootstrap/add?arg=${PEER(n)}`, isDone: asks('bootstrap/list', new RegExp(`/10\\.0\\.0\\.${n}/`)) },
    { path: `name/publish?arg=/ipfs/bafkqaaa/${n}&key=publisher${n % 2}&resolve=false&allow-offline=true`, isDone: asks('version', /./) }
  ]
}

/** Takes what is left of a disk, to the last block. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let size = 1 << 20; size >= 512; )
      await file.write(Buffer.alloc(size, 1)).then(
        () => undefined,
        () => {
          size >>= 1
        }
      )
  } finally {
    await file.close()
  }
}

const full = 'on a disk that is full to the last block every change is refused or kept, reads go on, and all goes on once there is room'
onDisk(
  full,
  t => laden(t, 24, '  pinning-service: { port: 0 }\n'),
  async (t, { disk, repo, node }) => {
    const { url } = node
    await post(url, 'files/write?arg=/first&create=true', [['f', new Uint8Array(Buffer.from('first'))]])
    for (const n of [0, 1]) {
      await post(url, `files/mkdir?arg=/folder${n}`)
      await post(url, `key/gen?arg=publisher${n}`)
    }
    const kept: Change[] = []
    const refused: Change[] = []
    const names = new Map<number, number>()
    const keyIds = lines<{ Keys: Array<{ Name: string; Id: string }> }>(await post(url, 'key/list'))[0]!.Keys
    const attempt = async (n: number) => {
      for (const change of changes(n)) {
        try {
          await post(url, change.path, change.parts)
          kept.push(change)
          if (change.path.startsWith('name/')) names.set(n % 2, n)
        } catch (error) {
          t.regex((error as Error).message, FULL, change.path)
          refused.push(change)
        }
      }
    }
    await attempt(2)
    t.is(refused.length, 0)
    await fillDisk(join(disk, 'filler'))
    // What the database keeps in its log may still fit, until its file has to grow.
    const random = seeded(9)
    const isFull = async () =>
      post(url, 'block/put', [['b', random.bytes(3000)]]).then(
        () => false,
        error => FULL.test((error as Error).message)
      )
    while (!(await isFull()));
    const kinds = (list: readonly Change[]) => [...new Set(list.map(({ path }) => path.split('?')[0]))].sort()
    for (let n = 3; kinds(refused).length < kinds(changes(0)).length && n < 60; n++) {
      // the database gives room back when it gives up a file
      await fillDisk(join(disk, `filler-${n}`))
      await attempt(n)
    }
    t.deepEqual(kinds(refused), kinds(changes(0)), 'each of them was refused')
    for (const { path, isDone } of kept) {
      const done = await isDone(url)
      t.true(done === true || (done === 'refused' && path.startsWith('files/mkdir')), `${path}, on the full disk: ${done}`)
    }
    t.is(await post(url, 'files/read?arg=/first'), 'first')
    await node.stop()

    for (const name of await readdir(disk)) if (name.startsWith('filler')) await rm(join(disk, name))
    await rm(join(disk, 'ballast'))
    const again = await start(t, repo)
    for (const { path, isDone } of kept) t.true(await isDone(again.url), `${path}, after a start`)
    for (const [which, n] of names) {
      const { Id } = keyIds.find(({ Name }) => Name === `publisher${which}`)!
      t.regex(await post(again.url, `name/resolve?arg=${Id}`), new RegExp(`/ipfs/bafkqaaa/${n}"`))
    }
    await rehashAll(again.url)
    for (const { path, parts, isDone } of changes(200)) {
      await post(again.url, path, parts)
      t.true(await isDone(again.url), `${path}, with room`)
    }
    t.is(await again.stop(), 0)
  }
)

for (const how of ['stop', 'kill'] as const)
  onDisk(
    `on a disk that is full, what only reads is answered without a daemon, after ${how === 'stop' ? 'a stop' : 'kill -9'}`,
    t => laden(t, 8),
    async (t, { disk, repo, node }) => {
      await post(node.url, 'files/mkdir?arg=/folder/below&parents=true')
      await post(node.url, 'key/gen?arg=mine')
      await node[how]()
      await fillDisk(join(disk, 'rest'))
      const folder = await temporaryFolder(t)
      const reading = [
        ['config', 'Identity.PeerID'],
        ['config', 'show'],
        ['key', 'export', 'mine', '-o', join(folder, 'mine.key')],
        ['token', 'list'],
        ['files', 'ls', '-l', '/'],
        ['files', 'ls', '-l', '/folder'],
        ...(how === 'stop' ? [['migrate', '--to-kubo', join(folder, 'kubo')]] : [])
      ]
      for (const words of reading) {
        const ran = await commandLine(['--repo', repo, '--config', join(disk, 'holdfast.config.yaml'), ...words], { cwd: folder })
        t.is(ran.code, 0, `${words.join(' ')}: ${ran.err}`)
      }
      t.true((await readdir(folder)).includes('mine.key'))
    }
  )
