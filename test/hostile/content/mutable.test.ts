/** Paths, names, numbers and bodies made to harm the tree, keys, names and configuration: each an answer in words, and nothing half done. */
import assert from 'node:assert/strict'
import test from 'ava'
import { type Attack, attacks, type Expected, type Step } from '../support/attack.ts'
import type { Part } from '../support/http.ts'
import type { Target } from '../support/node.ts'

const KIB = 1024
const MIB = 1024 * KIB
const refused = (text: RegExp): Expected => ({ status: 500, text })

/** Arguments that a query can hold, and a body those that it cannot. */
const arg = (value: string) => `arg=${encodeURIComponent(value)}`
const step = (path: string, expect: Expected, parts?: readonly Part[]): Step => ({ path, expect, ...(parts && { parts }) })
const write = (path: string, options = '', data: Part = 'x') => ({ path: `files/write?${arg(path)}&create=true&${options}`, parts: [data] })

async function textAt(target: Target, path: string): Promise<string> {
  const { status, text } = await target.ask({ path: `files/read?${arg(path)}` })
  assert.equal(status, 200, text)
  return text
}

const NOTHING: Expected = { status: 200, text: '' }

const paths: readonly Attack[] = [
  {
    name: 'a path of 5,000 parts that are to be made',
    make: () => [step(`files/mkdir?parents=true&arg=${'/a'.repeat(5000)}`, refused(/more than 4096 parts \(plugins\.mfs\.maxDepth\)/))]
  },
  {
    name: 'paths that are as long as a request may be',
    make: () =>
      ['files/stat', 'files/ls', 'files/read', 'files/flush', 'files/chcid'].map(command =>
        step(`${command}?arg=${'/a'.repeat(6000)}`, { status: 500 })
      )
  },
  {
    name: 'names that mean something elsewhere',
    make: () => [
      ...['a\0b', '...', ' ', '%2e%2e', '\\', '"', '\u202e', '\ud83d\ude00', '__proto__', 'constructor', '-rf', '*'].flatMap(name => [
        { ...write(`/names/${name}`, 'parents=true', name), expect: NOTHING },
        { path: `files/read?${arg(`/names/${name}`)}`, expect: { status: 200, text: name } },
        step(`files/mv?${arg(`/names/${name}`)}&${arg('/names/moved')}`, NOTHING),
        step(`files/rm?${arg('/names/moved')}`, NOTHING)
      ]),
      step('files/stat?arg=%2Fnames', { status: 200, text: /"Blocks":0,/ })
    ]
  },
  {
    name: 'dots that would lead out of the tree',
    make: () => [
      { ...write('/../../outside', '', 'in'), expect: NOTHING },
      { path: `files/read?${arg('/outside')}`, expect: { status: 200, text: 'in' } },
      step(`files/rm?${arg('/./x/../outside')}`, NOTHING),
      step(`files/rm?recursive=true&${arg('/..')}`, { status: 200, text: /cannot delete root/, error: "can't remove some files" })
    ]
  },
  {
    name: 'a name whose bytes are no UTF-8',
    make: () => [
      { ...write('', '', 'bytes'), path: 'files/write?create=true&arg=%2Fb%FF%FE', expect: { status: 200 } },
      { path: 'files/ls', expect: { status: 200 } },
      step('files/rm?arg=%2Fb%FF%FE', NOTHING)
    ]
  },
  {
    name: 'a name of 20,000 bytes in the tree',
    make: () => [{ ...write(`/${'n'.repeat(6000)}`), expect: NOTHING }, step(`files/rm?${arg(`/${'n'.repeat(6000)}`)}`, NOTHING)]
  }
]

/** Numbers at the edges of what they are held in. */
const EDGES = ['-1', '-9223372036854775808', '2147483648', '4294967296', '9007199254740993', '9223372036854775807']
const TOO_LARGE = ['9223372036854775808', '18446744073709551616', '1e30', 'NaN', '0x', '1'.repeat(5000)]

const numbers: readonly Attack[] = [
  {
    name: 'offsets at the edges of integers',
    make: () => [
      { ...write('/numbers', 'truncate=true', 'twelve bytes'), expect: NOTHING },
      ...EDGES.flatMap(edge => [
        { ...write('/numbers', `offset=${edge}`), expect: refused(/negative write offset|more than 1073741824 \(plugins\.mfs\.maxGap\)/) },
        step(`files/read?arg=%2Fnumbers&offset=${edge}`, refused(/negative offset|past end of file/))
      ]),
      ...TOO_LARGE.flatMap(edge => [
        { ...write('/numbers', `offset=${edge}`), expect: { status: 400 } },
        step(`files/read?arg=%2Fnumbers&offset=${edge}`, { status: 400 })
      ]),
      step('files/read?arg=%2Fnumbers', { status: 200, text: 'twelve bytes' })
    ]
  },
  {
    name: 'counts at the edges of integers',
    make: () => [
      { ...write('/counts', 'truncate=true', 'twelve bytes'), expect: NOTHING },
      ...EDGES.flatMap(edge => {
        const isNegative = edge.startsWith('-')
        return [
          { ...write('/counts', `count=${edge}`, 'TWELVE'), expect: isNegative ? refused(/negative byte count/) : NOTHING },
          step(`files/read?arg=%2Fcounts&count=${edge}`, isNegative ? refused(/negative 'count'/) : { status: 200, bytes: 12 })
        ]
      }),
      step('files/read?arg=%2Fcounts', { status: 200, text: 'TWELVE bytes' })
    ]
  },
  {
    name: 'an offset of 512 MiB, which is a gap that may be',
    memory: 128,
    make: () => [
      { ...write('/gap', 'offset=536870912'), expect: NOTHING },
      step('files/stat?arg=%2Fgap', { status: 200, text: /"Size":536870913,/ }),
      step('files/rm?arg=%2Fgap', NOTHING)
    ]
  },
  {
    name: 'CID versions and hashes that are none',
    make: () => [
      ...['-1', '2', '2147483647'].map(version =>
        step(`files/mkdir?arg=%2Fversion&cid-version=${version}`, refused(/unknown CID version/))
      ),
      ...['nothing', 'murmur3-x64-64', 'x'.repeat(5000), '__proto__'].map(hash =>
        step(`files/mkdir?arg=%2Fhash&hash=${hash}`, { status: 500 })
      ),
      step('files/ls?arg=%2Fversion', refused(/does not exist/)),
      step('files/ls?arg=%2Fhash', refused(/does not exist/))
    ]
  }
]

/** An upload that breaks off: its last boundary never comes, or the connection goes. */
function half(length: number): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield Buffer.from('--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n')
    for (let left = length; left > 0; left -= 64 * KIB) yield Buffer.alloc(Math.min(left, 64 * KIB), 'n')
  })()
}

const BROKEN = { 'Content-Type': 'multipart/form-data; boundary=e' }

const bodies: readonly Attack[] = [
  {
    name: 'a body that breaks off in the middle of a write leaves no half content',
    make: () => [
      { ...write('/whole', 'truncate=true', 'as it was'), expect: NOTHING },
      ...[1, 70_000, 3 * MIB].flatMap(length => [
        { path: 'files/write?arg=%2Fwhole&truncate=true', headers: BROKEN, body: half(length), expect: refused(/EOF/) },
        { path: 'files/read?arg=%2Fwhole', expect: { status: 200, text: 'as it was' } }
      ])
    ]
  },
  {
    name: 'a caller who leaves in the middle of a write leaves no half content',
    async act(target) {
      await target.ask({ ...write('/left', 'truncate=true', 'as it was') })
      for (let i = 0; i < 20; i++) {
        const controller = new AbortController()
        const sent = (async function* () {
          yield* half(300_000)
          controller.abort()
          await new Promise(() => {})
        })()
        const url = `http://127.0.0.1:${target.port}/api/v0/files/write?arg=/left&truncate=true`
        const init = { method: 'POST', headers: BROKEN, body: sent, signal: controller.signal, duplex: 'half' }
        await assert.rejects(fetch(url, init as unknown as RequestInit))
      }
      assert.equal(await textAt(target, '/left'), 'as it was')
    }
  },
  {
    name: 'a write of no file, of a directory, of two files',
    make: () => [
      { ...write('/shape', 'truncate=true', 'as it was'), expect: NOTHING },
      step('files/write?arg=%2Fshape', refused(/expected a file argument|file argument/), []),
      {
        path: 'files/write?arg=%2Fshape',
        parts: [{ head: ['Content-Disposition: form-data; name="file"; filename="d"', 'Content-Type: application/x-directory'], data: '' }],
        expect: refused(/file argument was nil/)
      },
      step('files/read?arg=%2Fshape', { status: 200, text: 'as it was' })
    ]
  }
]

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const configuration: readonly Attack[] = [
  {
    name: 'values of the configuration of a wrong type, nested, or huge',
    make: () => [
      step(`config?${arg('Datastore.StorageMax')}&${arg('5')}&json=true`, { status: 500 }),
      step(`config?${arg('Addresses')}&${arg('[]')}&json=true`, { status: 500 }),
      step(`config?${arg('Mine.Deep')}&${arg(nested(1800))}&json=true`, { status: 500 }),
      step(`config?${arg(`Mine${'.a'.repeat(4000)}`)}&${arg('1')}`, { status: 500 }),
      step(`config?${arg('__proto__.polluted')}&${arg('1')}`, { status: 200 }),
      step(`config?${arg('Identity.PrivKey')}&${arg('1')}`, { status: 500 }),
      step('config/show', { status: 200, text: /"Bootstrap"/ })
    ]
  }
]

const keys: readonly Attack[] = [
  {
    name: 'names of keys that are none, or that would be another file',
    make: () => [
      ...['', 'self', 'n'.repeat(200)].map(name => step(`key/gen?${arg(name)}`, { status: 500 })),
      ...['../x', '/', '.', '..', 'a/b', 'a\0b', 'KEY', 'key', '\u202e'].flatMap(name => [
        step(`key/gen?${arg(name)}`, { status: 200, text: /"Id":"k51/ }),
        step(`key/rename?${arg(name)}&${arg('another')}`, { status: 200 }),
        step(`key/rm?${arg('another')}`, { status: 200 })
      ]),
      step('key/list', { status: 200, text: /^\{"Keys":\[\{"Name":"self","Id":"\w+"\}\]\}\n$/ })
    ]
  },
  {
    name: 'files that are no keys',
    make: () => [
      ...['', 'x', Buffer.alloc(64), '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n'].map(file =>
        step('key/import?arg=bad', { status: 500 }, [file])
      ),
      step('key/import?arg=bad', { status: 400, text: /more than 65536 bytes are no key/ }, [Buffer.alloc(MIB)]),
      step('key/gen?arg=size&type=rsa&size=1000000', { status: 500 }),
      step('key/gen?arg=type&type=nothing', { status: 500 }),
      step('key/list', { status: 200, text: /^\{"Keys":\[\{"Name":"self","Id":"\w+"\}\]\}\n$/ })
    ]
  },
  {
    name: 'names and lifetimes of records at the edges',
    make: () => [
      ...['x', '1e9h', ''].map(lifetime =>
        step(`name/publish?${arg('/ipfs/bafkqaaa')}&allow-offline=true&lifetime=${lifetime}`, { status: 500 })
      ),
      step(`name/publish?${arg(`/ipfs/bafkqaaa/${'a'.repeat(12_000)}`)}&allow-offline=true&resolve=false`, { status: 500 }),
      step(`name/publish?${arg('/ipfs/bafkqaaa')}&allow-offline=true&key=${'k'.repeat(5000)}`, { status: 500 }),
      ...['', 'x'.repeat(5000), '/ipns/', '/ipns/k51', '/ipns/%00'].map(name =>
        step(`name/resolve?arg=${name}&offline=true`, { status: 500 })
      ),
      ...['', 'x', Buffer.alloc(20_000), Buffer.alloc(MIB, 0x0a)].map(record => step('name/inspect', { status: 500 }, [record]))
    ]
  }
]

attacks(test, [...paths, ...numbers, ...bodies, ...configuration, ...keys])
