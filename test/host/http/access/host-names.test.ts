import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { HostRule } from '../../../../host/http/access/host-names.ts'
import type { ListenAddress } from '../../../../host/http/listen/addresses.ts'

const request = (host: string | undefined, localAddress = '192.168.1.5') =>
  ({ headers: { host }, socket: { localAddress } }) as unknown as IncomingMessage
const at = (host: string, name?: string): ListenAddress => ({ text: '', listen: { host, port: 5001 }, name, local: false })

test('a listener on one address goes by it, and by the name it was configured with', t => {
  const rule = new HostRule(at('192.168.1.5', 'Node.lan'), [])
  for (const host of ['192.168.1.5', '192.168.1.5:5001', 'node.lan:80', 'localhost', '127.0.0.1:1'])
    t.true(rule.allows(request(host)), host)
  for (const host of ['192.168.1.6', 'other.lan', 'node.lan.evil']) t.false(rule.allows(request(host)), host)
})

test('a listener on all addresses goes by the one a connection came in on, and by no name', t => {
  const rule = new HostRule(at('0.0.0.0'), ['listed.lan'])
  t.true(rule.allows(request('192.168.1.5:5001')))
  t.true(rule.allows(request('192.168.1.5:5001', '::ffff:192.168.1.5')))
  t.true(rule.allows(request('listed.lan')))
  t.false(rule.allows(request('192.168.1.6:5001')))
  t.false(rule.allows(request('node.lan')))
  t.true(new HostRule(at('::'), []).allows(request('[fd00::1]:5001', 'fd00::1')))
})

test('what was allowed once on one connection is not thereby allowed on another', t => {
  const rule = new HostRule(at('0.0.0.0'), [])
  t.true(rule.allows(request('192.168.1.5')))
  t.false(rule.allows(request('192.168.1.5', '10.0.0.1')))
})

test('a listener on a Unix socket goes by loopback names alone', t => {
  const rule = new HostRule({ text: '', listen: { path: '/x' }, name: undefined, local: true }, [])
  t.true(rule.allows(request('localhost')))
  t.true(rule.allows(request(undefined)))
  t.false(rule.allows(request('evil.example')))
})
