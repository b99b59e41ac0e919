import test from 'ava'
import { command, matchesPath, nothing, plugin, type Status } from '../../core/index.ts'
import { decideCommand, decidePlugin } from '../../host/plugins/load/toggles.ts'

const of = (path: string, status: Status = 'regular') => command.read(path, { status, help: '', reply: nothing(), run: () => {} })
const owner = (status: Status = 'regular', name = 'owner') => plugin({ name, api: '^1', status, about: '' })

for (const [pattern, path, expected] of [
  ['object/**', 'object/get', true],
  ['object/**', 'object/patch/add-link', true],
  ['object/**', 'object', false],
  ['object/*', 'object/patch/add-link', false],
  ['*/add', 'pin/add', true],
  ['pin/add', 'pin/add', true],
  ['pin/a.d', 'pin/add', false],
  ['**', 'anything/at/all', true]
] as const) {
  test(`the pattern ${pattern} ${expected ? 'matches' : 'does not match'} ${path}`, t => t.is(matchesPath(pattern, path), expected))
}

test('a plugin obeys its own line before its status', t => {
  const p2p = { name: 'p2p', status: 'experimental' as const }
  t.true(decidePlugin(p2p, { plugins: { experimental: 'off', p2p: 'on' } }, 'f').on)
  t.deepEqual(decidePlugin(p2p, { plugins: { experimental: 'off' } }, 'f.yaml'), {
    on: false,
    reason: 'plugins: { experimental: off } in f.yaml'
  })
  t.deepEqual(decidePlugin(p2p, { plugins: { p2p: false } }, 'f.yaml'), { on: false, reason: 'plugins: { p2p: off } in f.yaml' })
})

test('a block of settings means on, also for what is off by default', t => {
  const older = { name: 'older', status: 'regular' as const, offByDefault: true }
  t.false(decidePlugin(older, {}, 'f').on)
  t.regex(decidePlugin(older, {}, 'f').reason, /off by default/)
  t.true(decidePlugin(older, { plugins: { older: {} } }, 'f').on)
})

test('a status that is off takes every command that bears it, wherever it lives', t => {
  const { on, reason } = decideCommand(of('key/sign', 'experimental'), owner(), { plugins: { experimental: 'off', owner: 'on' } }, 'f')
  t.false(on)
  t.is(reason, 'plugins: { experimental: off } in f')
})

test('a plugin that bears the status itself and is on by name keeps its commands', t => {
  t.true(decideCommand(of('p2p/ls', 'experimental'), owner('experimental', 'p2p'), { plugins: { experimental: 'off', p2p: 'on' } }, 'f').on)
})

test('a command obeys its own line before a pattern, and a longer pattern before a shorter', t => {
  const commands = { 'object/**': 'off', 'object/patch/*': 'on', 'object/patch/rm-link': 'off' } as const
  t.false(decideCommand(of('object/get'), owner(), { commands }, 'f').on)
  t.true(decideCommand(of('object/patch/add-link'), owner(), { commands }, 'f').on)
  t.is(decideCommand(of('object/patch/rm-link'), owner(), { commands }, 'f').reason, 'commands: { "object/patch/rm-link": off } in f')
})
