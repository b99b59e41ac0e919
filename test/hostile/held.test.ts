/** Inputs that are read whole: what all calls together hold of them is bounded, and given back however a call ends. */
import test from 'ava'
import type { Body } from '../../core/index.ts'
import { itemsOf, testHost } from '../../host/testing.ts'

const MIB = 1024 * 1024

/** An upload of so many bytes that goes on once it is told to. */
function uploadOf(size: number, character: string) {
  const { promise, resolve: go } = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  async function* body(): Body {
    yield {
      path: '/f',
      kind: 'file',
      headers: {},
      async *bytes() {
        yield Buffer.from(`"${character.repeat(size - 2)}"`)
        sent.resolve()
        await promise
      }
    }
  }
  return { body: body(), go, sent: sent.promise }
}

for (const path of ['block/put', 'dag/put']) {
  test(`inputs of ${path} that stand still leave no room for others beyond the limit, and give it back`, async t => {
    const plugin = path.startsWith('block') ? 'blocks' : 'dag'
    const host = await testHost({ configuration: { plugins: { [plugin]: { maxInputs: MIB } } } })
    t.teardown(() => host.stop())
    const put = async (body: Body, signal?: AbortSignal) => {
      return (await itemsOf(host.call(path, { body, signal }))).length
    }
    const standing = uploadOf(700_000, 'a')
    const first = put(standing.body)
    await standing.sent
    const refused = uploadOf(700_000, 'b')
    await t.throwsAsync(put(refused.body), {
      code: 'E_INPUTS_HELD',
      message: `the inputs of all calls together take more than ${MIB} bytes, the most that this node holds (plugins.${plugin}.maxInputs): try again later`
    })
    standing.go()
    t.is(await first, 1)
    const again = uploadOf(700_000, 'c')
    again.go()
    t.is(await put(again.body), 1)
    // a caller who leaves gives it back too
    const leaving = uploadOf(700_000, 'd')
    const leave = new AbortController()
    const left = t.throwsAsync(put(leaving.body, leave.signal))
    await leaving.sent
    leave.abort()
    leaving.go()
    await left
    const last = uploadOf(700_000, 'e')
    last.go()
    t.is(await put(last.body), 1)
  })
}
