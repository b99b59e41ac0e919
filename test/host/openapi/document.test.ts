import { Validator } from '@seriousme/openapi-schema-validator'
import test from 'ava'
import { z } from 'zod'
import { globalOptions, namesOf, wireName } from '../../../core/index.ts'
import type { JsonSchema, OperationObject, ParameterObject } from '../../../host/openapi/types.ts'
import { documentOfAll, parametersOf } from './declared.ts'

const byName = (parameters: readonly ParameterObject[]) => new Map(parameters.map(parameter => [parameter.name, parameter]))
const contentOf = ({ responses }: OperationObject) =>
  (responses[200] as { content?: Record<string, Record<string, unknown>> }).content ?? {}

test('the document of all commands is valid OpenAPI 3.1', async t => {
  const { document } = await documentOfAll()
  const { valid, errors } = await new Validator({ strict: false }).validate(structuredClone(document) as never)
  t.true(valid, JSON.stringify(errors))
})

test('every reference in it leads somewhere', async t => {
  const { document } = await documentOfAll()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!)
  t.true(references.length > 0)
  for (const ref of new Set(references)) {
    t.true(ref.startsWith('#/'), ref)
    let at: unknown = document
    for (const word of ref.slice(2).split('/')) at = (at as Record<string, unknown>)[word]
    t.is(typeof at, 'object', ref)
  }
})

test('every command that is served is in it, with all its options, and nothing else', async t => {
  const { document, commands } = await documentOfAll()
  const served = commands.filter(({ local }) => !local)
  t.deepEqual(Object.keys(document.paths).sort(), served.map(({ path }) => `/api/v0/${path}`).sort())
  const shared = Object.entries(globalOptions).map(([key, { spec }]) => wireName(key, spec))
  for (const command of served) {
    const { post } = document.paths[`/api/v0/${command.path}`]!
    t.is(post['x-status'], command.status)
    t.is(post.deprecated ?? false, command.status === 'deprecated' || command.status === 'removed', command.path)
    t.is(post['x-access'], command.access)
    t.is(post['x-reply'], command.reply.kind)
    t.is(post.tags.length, 1)
    const parameters = byName(parametersOf(document, command.path))
    t.is(parameters.size, post.parameters.length, `${command.path}: two parameters of one name`)
    t.is(parameters.has('arg'), Object.keys(command.args).length > 0, command.path)
    const ofCommand = Object.entries(command.options).map(([key, { spec }]) => wireName(key, spec))
    t.deepEqual([...parameters.keys()].filter(name => name !== 'arg').sort(), [...new Set([...ofCommand, ...shared])].sort(), command.path)
    for (const [key, { spec }] of Object.entries(command.options)) {
      const [name, ...aliases] = namesOf(key, spec)
      t.deepEqual(parameters.get(name!)!['x-aliases'] ?? [], aliases, `${command.path} ${name}`)
      t.true(parameters.get(name!)!.description!.startsWith(spec.help))
    }
    t.is(post.requestBody !== undefined, command.body !== undefined || Object.values(command.args).some(({ spec }) => spec.fromBody))
  }
})

test('every schema of a reply says something about JSON, and keeps the notes for other encodings to itself', async t => {
  const { document } = await documentOfAll()
  for (const [path, { post }] of Object.entries(document.paths)) {
    for (const { schema } of Object.values(contentOf(post))) t.true(Object.keys(schema as object).length > 0, path)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    t.true(Object.keys(schema).length > 0, name)
    walk(schema, part => {
      t.false('go' in part || 'xml' in part || 'string' in part, `${name}: ${JSON.stringify(part)}`)
    })
  }
})

test('no part of a reply is left open because JSON Schema has no word for it', async t => {
  const { commands } = await documentOfAll()
  for (const { path, reply } of commands) {
    const schemas = reply.kind === 'either' ? [reply.value, reply.items] : 'schema' in reply ? [reply.schema] : []
    for (const schema of schemas) {
      z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          const { type } = zodSchema._zod.def
          const isOpen = Object.keys(jsonSchema).length === 0 && !OPEN.includes(type)
          t.false(isOpen, `${path}: ${type}: say what it looks like in JSON with .meta({ type: … })`)
        }
      })
    }
  }
})

/** Those that are meant to be open, and those that the document finds words for. */
const OPEN: readonly string[] = ['any', 'unknown', 'lazy', 'bigint', 'date', 'map']

/** Visits every schema in a schema. */
function walk(schema: JsonSchema, visit: (part: JsonSchema) => void): void {
  visit(schema)
  const { properties = {}, anyOf = [], items, additionalProperties } = schema as Record<string, never>
  for (const part of [...Object.values(properties), ...(anyOf as JsonSchema[]), items, additionalProperties]) {
    if (typeof part === 'object') walk(part as JsonSchema, visit)
  }
}

test('options are told with their kinds, names and defaults as they are on the wire', async t => {
  const { document } = await documentOfAll()
  const options = byName(parametersOf(document, 'acme/everything'))
  const schemaOf = (name: string) => options.get(name)!.schema
  t.deepEqual(schemaOf('a-flag'), { type: 'boolean', default: true })
  t.deepEqual(options.get('a-flag')!['x-aliases'], ['f', 'old-flag'])
  t.regex(options.get('a-flag')!.description!, /`f`, `old-flag`/)
  t.deepEqual(schemaOf('small'), { type: 'integer', minimum: -2147483648, maximum: 2147483647, default: -1 })
  t.deepEqual(schemaOf('count'), { type: 'integer', minimum: 0, maximum: 4294967295 })
  t.deepEqual(schemaOf('signed'), { type: 'integer', format: 'int64', default: 5 })
  t.deepEqual(schemaOf('size'), { type: 'integer', format: 'uint64', minimum: 0 })
  t.deepEqual(schemaOf('ratio'), { type: 'number', default: 0.5 })
  t.like(schemaOf('wait'), { type: 'string', format: 'duration', default: '1000000000ns' })
  t.deepEqual(schemaOf('root'), { type: 'string', format: 'cid' })
  t.like(options.get('tags')!, { explode: true, style: 'form', schema: { type: 'array', items: { type: 'string' } } })
  t.deepEqual(schemaOf('mode'), { type: 'string', examples: ['fast', 'slow'], default: 'fast' })
  t.true(options.has('Strange_Name'))
  t.true(
    document.paths['/api/v0/acme/everything']!.post.parameters.some(one => '$ref' in one && one.$ref === '#/components/parameters/cid-base')
  )
})

test('arguments are values of arg, each named in its place', async t => {
  const { document } = await documentOfAll()
  const arg = byName(parametersOf(document, 'acme/everything')).get('arg')!
  t.like(arg, { required: true, explode: true, schema: { type: 'array', minItems: 1 } })
  t.is(
    arg.description,
    '1. `first-path`: Where to start.\n2. `others`: More. (may be left out; any number of them; may come in the body, one a line)'
  )
  t.deepEqual(byName(parametersOf(document, 'hello')).get('arg')!.schema, { type: 'string' })
  t.true(byName(parametersOf(document, 'hello')).get('arg')!.required)
  // the body may carry it, so the query need not
  t.false(byName(parametersOf(document, 'block/get')).get('arg')!.required)
})

test('bodies: uploads of parts, and arguments in a file', async t => {
  const { document } = await documentOfAll()
  const upload = document.paths['/api/v0/acme/echo']!.post.requestBody!
  t.true(upload.required)
  t.regex(upload.description, /x-directory.*symlink/)
  t.regex(upload.description, /^`data`: What to send back. Any number of parts\./)
  t.regex(document.paths['/api/v0/add']!.post.requestBody!.description, /folders too/)
  t.like(upload.content['multipart/form-data']!.schema!, { properties: { file: { type: 'array' } }, required: ['file'] })
  const lines = document.paths['/api/v0/acme/everything']!.post.requestBody!
  t.false(lines.required)
  t.regex(lines.description, /^`others`.*one value a line/)
})

test('replies look as they do on the wire: streams item by item, octets as text/plain, 64 bits in full', async t => {
  const { document } = await documentOfAll()
  const { schemas } = document.components
  const json = (path: string) => contentOf(document.paths[`/api/v0/${path}`]!.post)['application/json']
  t.deepEqual(json('acme/tree'), { schema: { $ref: '#/components/schemas/acme.tree' }, 'x-stream': 'ndjson' })
  t.is(json('acme/everything')!['x-stream'], undefined)
  t.deepEqual(json('acme/either')!['schema'], {
    anyOf: [{ $ref: '#/components/schemas/acme.either' }, { $ref: '#/components/schemas/acme.either_item' }]
  })
  t.deepEqual(Object.keys(contentOf(document.paths['/api/v0/acme/echo']!.post)), ['text/plain'])
  t.deepEqual(contentOf(document.paths['/api/v0/acme/silent']!.post), {})
  const { properties } = schemas['acme.everything'] as { properties: Record<string, unknown> }
  t.deepEqual(properties['Large'], { type: 'integer', format: 'uint64', minimum: 0 })
  t.deepEqual(properties['Either'], { type: 'integer', format: 'uint64', minimum: 0 })
  t.deepEqual(properties['Link'], { type: 'object', properties: { '/': { type: 'string' } }, required: ['/'] })
  t.deepEqual(properties['Time'], { type: 'string', format: 'date-time' })
  t.deepEqual(properties['Kinds'], {
    type: 'object',
    propertyNames: { type: 'string' },
    additionalProperties: { type: 'array', items: { type: 'integer' } }
  })
  t.deepEqual(schemas['acme.tree'], {
    type: 'object',
    properties: { Name: { type: 'string' }, Children: { type: 'array', items: { $ref: '#/components/schemas/acme.tree' } } },
    required: ['Name', 'Children']
  })
})

test('what is off is listed with its reason, and plugins are tags', async t => {
  const { document } = await documentOfAll()
  t.deepEqual(document['x-switched-off'], [{ path: 'off', reason: 'commands.off is off' }])
  t.deepEqual(
    document.tags.find(({ name }) => name === 'acme-shapes'),
    { name: 'acme-shapes', description: 'One command for each shape.', 'x-status': 'experimental' }
  )
  t.deepEqual(document.paths['/api/v0/acme/tree']!.post.tags, ['acme-shapes'])
  t.false('/api/v0/acme/beside' in document.paths)
})
