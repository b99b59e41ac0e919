import test from 'ava'
import type { Json } from '../../../core/index.ts'
import { RpcError } from '../../../host/client/errors.ts'
import { createClient } from '../../../host/client/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { concrete, conversations, type Step } from '../../helpers/recorded.ts'
import { documentOfAll } from '../openapi/declared.ts'
import { failureOf } from './node.ts'

/** A client that gets what the reference answered, whatever it asks. */
function clientOf({ response: { status, headers = {}, json, text } }: Step) {
  const body = json === undefined ? (text ?? '') : (concrete(json) as unknown[]).map(item => `${JSON.stringify(item)}\n`).join('')
  const kept = Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-'))
  return createClient<Record<never, never>>({ url: 'http://127.0.0.1:1', fetch: async () => new Response(body, { status, headers: kept }) })
}

/** Numbers as text: what was recorded lies in JSON that holds no more than 53 bits of them. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (_, of) => (typeof of === 'bigint' || typeof of === 'number' ? String(of) : of)))
}

const asksForAnotherForm = ({ query = [] }: Step) => query.some(([name, value]) => ['encoding', 'enc'].includes(name) && value !== 'json')

test('the client makes of every recorded answer what it says', async t => {
  const { commands } = await documentOfAll()
  const kinds = new Map(commands.map(({ path, reply: { kind } }) => [path, kind]))
  let answers = 0
  for (const { scenario, path, step } of await conversations(of => kinds.has(of))) {
    const { status, json } = step.response
    const kind = kinds.get(path)
    if (status !== 200 || json === undefined || kind === 'bytes' || kind === 'nothing' || asksForAnotherForm(step)) continue
    if ('trailers' in step.response || 'cut' in step.response) continue
    const items = concrete(json) as Json[]
    const result = await clientOf(step).callAny(path)
    const isList = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
    const got = isList ? await itemsOf(result) : [result]
    answers++
    t.deepEqual(plain(got), plain(items), `${scenario}: ${step.name}`)
  }
  t.true(answers > 1500, `${answers} answers`)
})

test('the client says of every recorded failure what the node said', async t => {
  const { commands } = await documentOfAll()
  const known = new Set(commands.map(({ path }) => path))
  let failures = 0
  for (const { scenario, path, step } of await conversations(of => known.has(of))) {
    const { status, json, text } = step.response
    if (status < 400 || asksForAnotherForm(step)) continue
    const error = await failureOf(t, () => clientOf(step).callAny(path))
    failures++
    t.true(error instanceof RpcError, `${scenario}: ${step.name}`)
    t.is(error['status'], status, `${scenario}: ${step.name}`)
    const said = json === undefined ? text?.trim() : String((concrete(json) as Array<{ Message: string }>)[0]?.Message)
    if (said) t.is(error.message, said, `${scenario}: ${step.name}`)
  }
  t.true(failures > 1000, `${failures} failures`)
})
