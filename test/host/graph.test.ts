import test from 'ava'
import { orderByNeeds } from '../../host/plugins/compose/order.ts'

const room = (name: string, provides: string[], requires: string[] = [], optional: string[] = []) => ({
  name,
  provides,
  requires,
  optional
})
const winners = (rooms: Array<ReturnType<typeof room>>) => new Map(rooms.flatMap(r => r.provides.map(s => [s, r.name] as const)))

test('providers come before those who need them, whatever the order they were named in', t => {
  const rooms = [
    room('pins', ['pins'], ['store', 'dag']),
    room('dag', ['dag'], ['blocks']),
    room('blocks', ['blocks'], ['store']),
    room('storage', ['store'])
  ]
  t.deepEqual(orderByNeeds(rooms, winners(rooms)).sorted, ['storage', 'blocks', 'dag', 'pins'])
})

test('what needs nothing keeps the order it was named in', t => {
  const rooms = [room('c', []), room('a', []), room('b', [])]
  t.deepEqual(orderByNeeds(rooms, winners(rooms)).sorted, ['c', 'a', 'b'])
})

test('an optional need orders where somebody provides it, and is nothing where nobody does', t => {
  const rooms = [room('blocks', ['blocks'], [], ['exchange', 'nobody']), room('bitswap', ['exchange'])]
  t.deepEqual(orderByNeeds(rooms, winners(rooms)).sorted, ['bitswap', 'blocks'])
})

test('a circle is answered with its whole chain', t => {
  const rooms = [room('x', []), room('a', ['a'], ['c']), room('b', ['b'], ['a']), room('c', ['c'], ['b'])]
  t.deepEqual(orderByNeeds(rooms, winners(rooms)).cycle, ['a', 'c', 'b', 'a'])
})

test('only the chosen provider of a service orders', t => {
  const rooms = [room('user', [], ['store']), room('one', ['store'], ['user']), room('two', ['store'])]
  t.deepEqual(orderByNeeds(rooms, new Map([['store', 'two']])).cycle, undefined)
})
