import test from 'ava'
import { command, nothing } from '../../../core/index.ts'
import { CommandTree } from '../../../host/rpc/command-tree.ts'
import { makes } from '../../core/go/makes.ts'
import { callsOf } from '../../helpers/calls.ts'

const named = (path: string, local = false) => command.read(path, { local, help: '', reply: nothing(), run: () => {} })
const commands = ['refs', 'refs/local', 'block/get', 'pin/remote/ls', 'commands', 'old/one'].map(path => named(path))
commands.push(named('commands/completion/bash', true), named('edit', true))
const tree = new CommandTree(callsOf(commands), [
  { path: 'dns', reason: 'plugins: { older: off } in x' },
  { path: 'tar/add', reason: 'tar is off' }
])

function at(path: string): string {
  const found = tree.find(`/api/v0/${path}`)
  if (!('endpoint' in found)) return found.reason ?? 'nothing'
  return `${found.endpoint.command?.path ?? 'a group'}${found.word === undefined ? '' : ` (${found.word})`}`
}

test('a path leads to a command, or to a group of them', t => {
  makes(t, at, { refs: 'refs', 'refs/local': 'refs/local', block: 'a group', 'pin/remote': 'a group' })
})

test('the last word is an argument where the command before it runs', t => {
  makes(t, at, { 'refs/Qm': 'refs (Qm)', 'refs/': 'refs ()', 'block/get/Qm': 'block/get (Qm)' })
  for (const path of ['block/nope', 'block/', 'refs/a/b', 'block/get/a/b', 'nope', '', 'Block']) t.is(at(path), 'nothing', path)
})

test('escapes are resolved before a path is split', t => {
  makes(t, at, {
    'block%2Fget': 'block/get',
    '%62lock/get': 'block/get',
    'refs/%C3%A9': 'refs (é)',
    'block%20': 'nothing',
    'refs/%zz': 'nothing'
  })
})

test('what only makes sense beside a terminal is not there, and neither is a group of nothing else', t => {
  makes(t, at, {
    edit: 'nothing',
    'commands/completion': 'nothing',
    'commands/completion/bash': 'nothing',
    'commands/other': 'commands (other)'
  })
})

test('what is switched off names the setting', t => {
  makes(t, at, { dns: 'plugins: { older: off } in x', 'tar/add': 'tar is off', tar: 'tar is off' })
})

test('one endpoint is made per command', t => {
  const [one, two] = [tree.find('/api/v0/refs'), tree.find('/api/v0/refs/Qm')]
  t.true('endpoint' in one && 'endpoint' in two && one.endpoint === two.endpoint)
})
