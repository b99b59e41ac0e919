import test from 'ava'
import { Trail } from '../../../plugins/pins/trail.ts'

/** A trail whose notes are written when the test says so. */
function trail(visited = 1, isNoted = false) {
  const written: Array<{ resolve: () => void; reject: (error: Error) => void }> = []
  const write = () => new Promise<void>((resolve, reject) => written.push({ resolve, reject }))
  return { written, trail: new Trail(write, visited, isNoted) }
}

const turn = () => new Promise(setImmediate)

test('a walk goes on while its note is written, and leaves the next one after that', async t => {
  const { written, trail: notes } = trail()
  for (let visited = 2; visited <= 512; visited++) notes.passed(visited)
  t.deepEqual([written.length, notes.isNoted], [0, false])
  for (let visited = 513; visited <= 3000; visited++) notes.passed(visited)
  t.deepEqual([written.length, notes.isNoted], [1, true])
  written[0]!.resolve()
  await turn()
  notes.passed(3001)
  t.is(written.length, 2)
  let isOver = false
  const end = notes.end().then(() => {
    isOver = true
  })
  await turn()
  t.false(isOver, 'the end waits for the note that is being written')
  written[1]!.resolve()
  await end
})

test('a note that cannot be written ends the walk', async t => {
  for (const atEnd of [false, true]) {
    const { written, trail: notes } = trail()
    notes.passed(513)
    written[0]!.reject(new Error('full'))
    await turn()
    if (atEnd) await t.throwsAsync(notes.end(), { message: 'full' })
    else t.throws(() => notes.passed(514), { message: 'full' })
  }
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
  notes.passed(513)
  const over = notes.breakOff(514)
  written[0]!.reject(new Error('busy'))
  await turn()
  t.is(written.length, 2)
  written[1]!.resolve()
  await over
})
