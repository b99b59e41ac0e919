import { createHash } from 'node:crypto'
import test from 'ava'
import { Audit } from '../../../../core/callers/index.ts'
import type { Json, Logger } from '../../../../core/index.ts'
import { Authorizations, isRefusal, type Refusal } from '../../../../host/http/access/authorizations.ts'
import { authorizationHeader } from '../../../../host/http/access/secret.ts'

function auditTo(log: { warn?(line: unknown): void; error?(line: unknown, text?: string): void }): Audit {
  return new Audit({ get: () => ({ warn() {}, error() {}, ...log }) as unknown as Logger })
}

test('secrets are proved as their kind says', t => {
  t.is(authorizationHeader('token'), 'Bearer token')
  t.is(authorizationHeader('bearer:to:ken'), 'Bearer to:ken')
  t.is(authorizationHeader('basic:user:pass'), 'Basic dXNlcjpwYXNz')
  t.is(authorizationHeader('basic:dXNlcjpwYXNz'), 'Basic dXNlcjpwYXNz')
  t.is(authorizationHeader('digest:x'), undefined)
  t.is(authorizationHeader(''), undefined)
})

test('without entries nobody is asked', t => {
  t.is(Authorizations.of(undefined), undefined)
  t.is(Authorizations.of({}), undefined)
  t.is(Authorizations.of(null), undefined)
})

test('an entry with a key that it does not have is refused: one that was meant to bound a secret may be misspelt', t => {
  for (const key of ['access', 'Acces', 'AllowedPath'])
    t.throws(() => Authorizations.of({ some: { AuthSecret: 'token', AllowedPaths: ['/'], [key]: 'read' } }), {
      code: 'E_RPC_GRANT_KEY',
      message: `API.Authorizations.some has the key '${key}' in the node configuration: there are AuthSecret, AllowedPaths, Access, SecretHash, Commands, Created and Expires`
    })
})

test('a secret opens the paths that start as one of its own, and the version', t => {
  const rules = Authorizations.of({
    some: { AuthSecret: 'token', AllowedPaths: ['/api/v0/cid/', '/api/v0/block'] },
    none: { AuthSecret: 'other' },
    odd: { AuthSecret: 'digest:x', AllowedPaths: ['/'] }
  })!
  const admitted = (header: string | undefined, path: string) => {
    const verdict = rules.admit(header, path, undefined)
    return isRefusal(verdict) ? verdict.status : verdict.name
  }
  t.is(admitted('Bearer token', '/api/v0/blockade'), 'some')
  t.is(admitted('Bearer token', '/api/v0/cid'), 403)
  t.is(admitted('Bearer other', '/api/v0/version'), 'none')
  t.is(admitted('Bearer other', '/api/v0/version/'), 403)
  for (const header of [undefined, '', 'bearer token', 'Bearer', 'digest:x']) t.is(admitted(header, '/api/v0/version'), 403)
})

const HASH = createHash('sha256').update('token').digest('hex')

test('a token is proved by itself and never by its hash, and opens what its access and commands cover until it expires', t => {
  let now = Date.parse('2030-01-01T00:00:00Z')
  const entry = { SecretHash: `sha256:${HASH}`, Access: 'read', Commands: ['pin/**'], Expires: '2030-01-01T00:00:01Z' }
  const rules = Authorizations.of({ one: entry }, { now: () => now })!
  t.deepEqual(rules.admit('Bearer token', '/api/v0/add', undefined), {
    name: 'one',
    access: 'read',
    commands: [['pin/**']]
  })
  for (const header of [`sha256:${HASH}`, `Bearer ${HASH}`, `Bearer sha256:${HASH}`, 'Basic token', undefined]) {
    const verdict = rules.admit(header, '/api/v0/add', undefined)
    t.true(isRefusal(verdict))
    t.deepEqual((verdict as Refusal).fields, [['WWW-Authenticate', 'Bearer']])
    t.is((verdict as Refusal).status, 401)
  }
  t.false(isRefusal(rules.admitRoute('Bearer token', '/mcp', undefined)))
  const narrow = Authorizations.of({ one: { ...entry, AllowedPaths: ['/api/v0/pin/'] } }, { now: () => now })!
  t.true(isRefusal(narrow.admit('Bearer token', '/api/v0/add', undefined)))
  t.true(isRefusal(narrow.admitRoute('Bearer token', '/mcp', undefined)))
  now += 1000
  t.true(isRefusal(rules.admit('Bearer token', '/api/v0/add', undefined)))
})

test('values that an entry cannot have are refused with the key', t => {
  for (const [key, value] of [
    ['SecretHash', 'token'],
    ['Expires', 'soon'],
    ['Commands', 'pin/**']
  ] as const)
    t.throws(() => Authorizations.of({ one: { [key]: value } }), { code: 'E_RPC_GRANT_VALUE', message: new RegExp(`one\\.${key}`) })
})

test('what changes counts from the next request on; what cannot be read does not, and without entries nobody is let in', t => {
  let entries: Json = { one: { AuthSecret: 'a', AllowedPaths: ['/'] } }
  const lines: string[] = []
  const audit = auditTo({ error: (_: unknown, text?: string) => void lines.push(text!) })
  const rules = Authorizations.of(entries, { current: () => entries, audit })!
  const letsIn = (secret: string) => !isRefusal(rules.admit(`Bearer ${secret}`, '/api/v0/id', undefined))
  t.deepEqual([letsIn('a'), letsIn('b')], [true, false])
  entries = { two: { AuthSecret: 'b', AllowedPaths: ['/'] } }
  t.deepEqual([letsIn('a'), letsIn('b')], [false, true])
  entries = { two: { AuthSecret: 'c', Nope: 1 } }
  t.deepEqual([letsIn('b'), letsIn('c')], [true, false])
  t.deepEqual(lines, ['the authorizations stay as they were'])
  entries = {}
  t.false(letsIn('b'))
})

test('guessing is slowed by address, and who has used a right secret there is not', t => {
  let now = 0
  const lines: unknown[] = []
  const audit = auditTo({ warn: (line: unknown) => void lines.push(line) })
  const rules = Authorizations.of({ one: { AuthSecret: 'right', AllowedPaths: ['/'] } }, { now: () => now, audit })!
  const status = (secret: string, address: string) => {
    const verdict = rules.admit(`Bearer ${secret}`, '/api/v0/id', address)
    return isRefusal(verdict) ? verdict.status : 200
  }
  t.is(status('right', 'known'), 200)
  for (let i = 0; i < 100; i++) for (const address of ['known', 'other']) t.is(status(`guess ${i}`, address), 403)
  t.is(status('guess', 'other'), 429)
  t.is(status('right', 'other'), 429, 'a right guess is not told from a wrong one')
  t.is(status('right', 'known'), 200)
  t.is(status('right', 'third'), 200)
  now += 1000
  t.is(status('guess', 'other'), 403)
  t.is(status('right', 'other'), 429)
  now += 1000
  t.is(status('right', 'other'), 200)
  t.is(lines.length, 204)
  t.deepEqual(lines[0], { path: '/api/v0/id', address: 'known', why: 'no known secret' })
})

test('beyond a rate refusals are counted, and the next line says how many were left out', t => {
  let now = 0
  const lines: Array<{ leftOut?: number; path: string }> = []
  const audit = new Audit({ get: () => ({ warn: (line: never) => void lines.push(line), error() {} }) as unknown as Logger }, () => now)
  for (let i = 0; i < 1500; i++) audit.refused({ path: 'x'.repeat(1000), why: 'no secret' })
  t.is(lines.length, 1000)
  t.is(lines[0]!.path.length, 256)
  now += 1000
  audit.refused({ path: '/', why: 'no secret' })
  t.is(lines.at(-1)!.leftOut, 500)
})

test('guessing from many addresses of one network of IPv6 is slowed like guessing from one', t => {
  const rules = Authorizations.of({ some: { AuthSecret: 'token', AllowedPaths: ['/'] } }, { now: () => 0 })!
  const statuses = Array.from({ length: 101 }, (_, i) => {
    const verdict = rules.admit(`Bearer guess-${i}`, '/api/v0/id', `2001:db8::${(i + 1).toString(16)}`)
    return isRefusal(verdict) ? verdict.status : 200
  })
  t.is(statuses.at(-1), 429)
  const other = rules.admit('Bearer guess', '/api/v0/id', '2001:db8:0:1::1')
  t.true(isRefusal(other) && other.status === 403, 'another network')
})
