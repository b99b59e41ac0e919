import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { OptionTable } from '../../../core/binding/options.ts'
import type { JsonSchema } from '../../../host/openapi/types.ts'
import { concrete, conversations } from '../../helpers/recorded.ts'
import { documentOfAll, parametersOf } from './declared.ts'

/** The same schema, in which objects have no members but the named ones. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([key, of]) => [key, closed(of)]))
  return 'properties' in inside && !('additionalProperties' in inside) ? { ...inside, additionalProperties: false } : inside
}

/** Where the recording only says that there was an object, as JSON pointers: its members were not kept. */
function placesOfAnyObject(value: unknown, at = ''): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  if ((value as { $any?: string }).$any === 'object') return new Set([at])
  return new Set(Object.entries(value).flatMap(([key, of]) => [...placesOfAnyObject(of, `${at}/${key.replaceAll('/', '~1')}`)]))
}

test('every recorded answer is what the document says of its command, member by member', async t => {
  const { document } = await documentOfAll()
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'openapi', components: closed(document.components) } as object)
  let answers = 0
  for (const { scenario, path, step } of await conversations(of => `/api/v0/${of}` in document.paths)) {
    const { status, json } = step.response
    if (status !== 200 || json === undefined) continue
    const response = document.paths[`/api/v0/${path}`]!.post.responses[200] as { content?: Record<string, { schema: JsonSchema }> }
    const schema = response.content?.['application/json']?.schema
    if (schema === undefined) continue
    const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object)
    for (const [i, item] of (concrete(json) as unknown[]).entries()) {
      answers++
      const unrecorded = placesOfAnyObject((json as unknown[])[i])
      if (check(item)) continue
      const errors = (check.errors ?? []).filter(({ instancePath }) => !unrecorded.has(instancePath))
      if (errors.length > 0) t.fail(`${scenario}: ${step.name}: ${JSON.stringify(item)}: ${ajv.errorsText(errors)}`)
    }
  }
  t.true(answers > 1000, `${answers} answers`)
})

test('the document knows an option that was recorded exactly where the listener does', async t => {
  const { document, commands } = await documentOfAll()
  let known = 0
  for (const { scenario, path, step } of await conversations(of => `/api/v0/${of}` in document.paths)) {
    if (!step.query?.some(([name]) => name !== 'arg')) continue
    const names = parametersOf(document, path).flatMap(({ name, 'x-aliases': aliases = [] }) => [name, ...(aliases as string[])])
    const table = new OptionTable(commands.find(command => command.path === path)!.options)
    for (const pair of step.query) {
      if (pair[0] === 'arg') continue
      const taken = table.gather([pair]).size > 0
      if (taken) known++
      if (names.includes(pair[0]) !== taken) t.fail(`${scenario}: ${path} ${pair[0]}`)
    }
  }
  t.true(known > 1000, `${known} options`)
})
