import test from 'ava'
import { Trail } from '../../../plugins/pins/walk/trail.ts'

/** A trail whose notes are written when the test says so. */
function trail(visited = 1, isNoted = false) {
  const written: Array<{ resolve: () => void; reject: (error: Error) => void }> = []
  const write = () => new Promise<void>((resolve, reject) => written.push({ resolve, reject }))
  return { written, trail: new Trail(write, visited, isNoted) }
}

const turn = () => new Promise(setImmediate)

test('a note is due every 512 nodes, and the walk waits until it is written', async t => {
  const { written, trail: notes } = trail()
  for (let visited = 2; visited <= 512; visited++) t.is(notes.passed(visited), undefined)
  t.deepEqual([written.length, notes.isNoted], [0, false])
  let isOver = false
  const noting = notes.passed(513)!.then(() => {
    isOver = true
  })
  t.deepEqual([written.length, notes.isNoted], [1, true])
  await turn()
  t.false(isOver)
  written[0]!.resolve()
  await noting
  for (let visited = 514; visited < 513 + 512; visited++) t.is(notes.passed(visited), undefined)
  notes.passed(513 + 512)
  t.is(written.length, 2)
})

test('a note that cannot be written ends the walk', async t => {
  const { written, trail: notes } = trail()
  const noting = notes.passed(513)
  written[0]!.reject(new Error('full'))
  await t.throwsAsync(noting!, { message: 'full' })
})

test('a walk that is broken off leaves a last note where there is enough to say', async t => {
  for (const [visited, count] of [
    [563, 0],
    [564, 1]
  ] as const) {
    const { written, trail: notes } = trail(500, true)
    const over = notes.breakOff(visited)
    await turn()
    t.is(written.length, count)
    written[0]?.reject(new Error('full'))
    await over
  }
})

test('a walk that is broken off says again what could not be written before', async t => {
  const { written, trail: notes } = trail()
  const noting = notes.passed(513)
  written[0]!.reject(new Error('busy'))
  await t.throwsAsync(noting!, { message: 'busy' })
  const over = notes.breakOff(514)
  t.is(written.length, 2)
  written[1]!.resolve()
  await over
})
