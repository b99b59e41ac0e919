import test from 'ava'
import { Authorizations, expectedHeader } from '../../../../host/http/access/authorizations.ts'

test('secrets are proved as their kind says', t => {
  t.is(expectedHeader('token'), 'Bearer token')
  t.is(expectedHeader('bearer:to:ken'), 'Bearer to:ken')
  t.is(expectedHeader('basic:user:pass'), 'Basic dXNlcjpwYXNz')
  t.is(expectedHeader('basic:dXNlcjpwYXNz'), 'Basic dXNlcjpwYXNz')
  t.is(expectedHeader('digest:x'), undefined)
  t.is(expectedHeader(''), undefined)
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
      message: `API.Authorizations.some has the key '${key}' in the node configuration: there are AuthSecret, AllowedPaths and Access`
    })
})

test('a secret opens the paths that start as one of its own, and the version', t => {
  const rules = Authorizations.of({
    some: { AuthSecret: 'token', AllowedPaths: ['/api/v0/cid/', '/api/v0/block'] },
    none: { AuthSecret: 'other' },
    odd: { AuthSecret: 'digest:x', AllowedPaths: ['/'] }
  })!
  t.is(rules.grant('Bearer token', '/api/v0/blockade')?.name, 'some')
  t.is(rules.grant('Bearer token', '/api/v0/cid'), undefined)
  t.is(rules.grant('Bearer other', '/api/v0/version')?.name, 'none')
  t.is(rules.grant('Bearer other', '/api/v0/version/'), undefined)
  for (const header of [undefined, '', 'bearer token', 'Bearer', 'digest:x']) t.is(rules.grant(header, '/api/v0/version'), undefined)
})
