import fc from 'fast-check'
import { nodeConfigModel as model } from '../../config/node/index.ts'
import { NodeError } from '../../core/errors.ts'
import type { Json, NodeConfig } from '../../core/index.ts'
import { attempt, type Fuzz, fuzz, same } from './fuzz.ts'

const SECRET = 'CAESQ-a-secret-of-the-node'

const NOBODY = { type: 'ed25519' as const, peerId: 'x', privateKey: new Uint8Array(8), publicKey: new Uint8Array(8) }

const WHOLE = model.merge(model.create(NOBODY), {
  Identity: { PeerID: 'x', PrivKey: SECRET },
  API: { Authorizations: { one: { AuthSecret: `bearer:${SECRET}`, AllowedPaths: ['/api/v0'] } } },
  Pinning: { RemoteServices: { mine: { API: { Endpoint: 'https://pins.example', Key: SECRET } } } }
})

const TEXT = JSON.stringify(WHOLE, undefined, 2)

/** What becomes of a file: some of its bytes cut, flipped, doubled, or others among them. */
const damage = fc.record({ at: fc.nat(TEXT.length), kind: fc.nat(4), bytes: fc.uint8Array({ maxLength: 6 }), length: fc.nat(40) })

const damaged = fc.array(damage, { minLength: 1, maxLength: 3 }).map(damages =>
  damages
    .reduce((file, { at, kind, bytes, length }) => {
      const [head, tail] = [file.subarray(0, at), file.subarray(at)]
      if (kind === 0) return head
      if (kind === 1) return Buffer.concat([head, bytes, tail])
      if (kind === 2) return Buffer.concat([head, tail.subarray(length)])
      if (kind === 3) return Buffer.concat([head, tail.subarray(0, length), tail])
      const flipped = Buffer.from(file)
      if (at < flipped.length) flipped[at]! ^= 1 << (length % 8)
      return flipped
    }, Buffer.from(TEXT))
    .toString()
)

/** The places of a document, to put other values there. */
function placesOf(value: Json, above: readonly string[] = []): ReadonlyArray<readonly string[]> {
  if (!isObject(value)) return [above]
  return [above, ...Object.entries(value).flatMap(([key, one]) => placesOf(one, [...above, key]))]
}

const PLACES = placesOf(WHOLE).filter(place => place.length > 0)

const change = fc.tuple(
  fc.constantFrom(...PLACES),
  fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, {}, [], '', 'x', -1, 1e308, '1h', true)),
  fc.boolean()
)

/** The document with other values at some places, and some keys in other letters. */
const changed = fc.array(change, { minLength: 1, maxLength: 4 }).map(changes => {
  const document = JSON.parse(TEXT) as { [key: string]: Json }
  for (const [place, value, isOtherCase] of changes) {
    let object: { [key: string]: Json } | undefined = document
    for (const key of place.slice(0, -1)) {
      const below: Json | undefined = object?.[key]
      object = isObject(below) ? (below as { [key: string]: Json }) : undefined
    }
    const last = place.at(-1)!
    if (object === undefined || !Object.hasOwn(object, last)) continue
    if (isOtherCase) {
      object[last.toUpperCase()] = object[last]!
      delete object[last]
    } else object[last] = value as Json
  }
  return JSON.stringify(document)
})

function isObject(value: Json | undefined): value is NodeConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where the configuration has secrets, in lower case; `*` stands for any name. */
const SECRET_PLACES = [/^identity\nprivkey$/, /^api\nauthorizations$/, /^pinning\nremoteservices\n[^\n]*\napi\nkey$/]

/** Whether secrets stand only there: a key that is misspelt is one that nobody knows. */
function isSecretInPlace(value: Json, above: readonly string[] = []): boolean {
  const place = above.join('\n').toLowerCase()
  if (SECRET_PLACES.some(known => known.test(place))) return true
  if (!isObject(value)) return !JSON.stringify(value).includes(SECRET)
  return Object.entries(value).every(([key, one]) => !key.includes(SECRET) && isSecretInPlace(one, [...above, key]))
}

/** Reads a file in whichever way a node does: nothing but declared errors, which name the file and show no secret. */
function check(text: string): void {
  let config: NodeConfig
  try {
    config = model.parse(text, '/repo/config')
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    same([error.message.startsWith('/repo/config'), error.message.length < 50_000, error.message.includes(SECRET)], [true, true, false])
    return
  }
  attempt(() => model.checkStart(config, '/repo/config'))
  attempt(() => model.effective(config))
  attempt(() => model.typed(config))
  same(model.parse(model.print(config), '/repo/config'), config)
  if (isSecretInPlace(config)) same(JSON.stringify(model.shown(config)).includes(SECRET), false)
}

/** The node configuration, as a disk or a hand may leave it. */
export const configuration: readonly Fuzz[] = [
  fuzz('a node configuration that was cut or flipped is refused with its file, or read', damaged, check, 0.3),
  fuzz('a node configuration with other values is refused with its file, or read, and shows no secret', changed, check, 0.3)
]
