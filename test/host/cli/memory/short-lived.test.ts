/** What a request allocates is collected while young, as V8 tells of its collections: what it holds on to longer is copied, and collected at length. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { type Daemon, launchDaemon } from '../../../helpers/process/daemon.ts'

const WARM = 300
const COUNTED = 900
/** Bytes a request: what is stored stays for a while. A request that is kept whole comes to 7,000 and more. */
const MOST = 3000

/** Bytes that young collections have laid among what is old, so far. */
function promoted(daemon: Daemon): number {
  let sum = 0
  for (const [, bytes] of daemon.output().matchAll(/ gc=s .* promoted=(\d+)/g)) sum += Number(bytes)
  return sum
}

async function ask(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  return text
}

/** A request with one file. */
function upload(content: string): RequestInit {
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n--b--\r\n`
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body }
}

test('requests are collected while young, whatever they ask for', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await launchDaemon(repo, { nodeArgs: ['--trace-gc-nvp'], hasGateway: true, args: ['--gateway', '/ip4/127.0.0.1/tcp/0'] })
    .ready
  t.teardown(() => daemon.kill())
  const rpc = (path: string, init: RequestInit = { method: 'POST' }) => ask(`${daemon.url}/api/v0/${path}`, init)
  const gateway = (await readFile(join(repo, 'gateway'), 'utf8')).trim()
  const lines = (await rpc('add?pin=false&chunker=size-200', upload('some text\n'.repeat(100)))).trim().split('\n')
  const { Hash } = JSON.parse(lines.at(-1)!) as { Hash: string }
  await rpc('files/mkdir?arg=/folder')
  await rpc(`files/cp?arg=/ipfs/${Hash}&arg=/folder/file`)
  const parent = (JSON.parse(await rpc('files/stat?arg=/folder')) as { Hash: string }).Hash
  let serial = 0
  const requests: Readonly<Record<string, () => Promise<string>>> = {
    'block/put': () => rpc('block/put', upload(`block ${serial++}`)),
    'dag/put': () => rpc('dag/put', upload(`{"n":${serial++}}`)),
    'dag/get': () => rpc(`dag/get?arg=${Hash}`),
    add: () => rpc('add?pin=false', upload(`file ${serial++}`)),
    cat: () => rpc(`cat?arg=${Hash}`),
    ls: () => rpc(`ls?arg=${parent}`),
    refs: () => rpc(`refs?arg=${Hash}`),
    'files/ls': () => rpc('files/ls?arg=/folder&long=true'),
    'files/read': () => rpc('files/read?arg=/folder/file'),
    'a file of the gateway': () => ask(`${gateway}/ipfs/${Hash}`),
    'a listing': () => ask(`${gateway}/ipfs/${parent}/`),
    'a CAR': () => ask(`${gateway}/ipfs/${Hash}?format=car`),
    'an archive': () => ask(`${gateway}/ipfs/${Hash}?format=tar`)
  }
  for (const [name, request] of Object.entries(requests)) {
    for (let i = 0; i < WARM; i++) await request()
    const before = promoted(daemon)
    for (let i = 0; i < COUNTED; i++) await request()
    const each = Math.round((promoted(daemon) - before) / COUNTED)
    t.log(`${name}: ${each} bytes`)
    t.true(each < MOST, `${name}: ${each} bytes a request are kept longer than it`)
  }
})
