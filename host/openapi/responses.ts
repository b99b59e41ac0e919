import type { Command } from '../../core/index.ts'
import { wireSchemas } from './schemas.ts'
import type { JsonSchema, MediaType, OpenApiDocument, Reference, ResponseObject } from './types.ts'

const SCHEMA = '#/components/schemas/'
const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })
const text = { 'text/plain': { schema: { type: 'string' } } }

/** Answers, header fields and the error object that all commands share. */
export const shared: Pick<OpenApiDocument['components'], 'headers' | 'responses' | 'securitySchemes'> & { readonly error: JsonSchema } = {
  error: {
    type: 'object',
    description: 'An error of a command.',
    properties: {
      Message: { type: 'string' },
      Code: { type: 'integer', description: '0 normal, 1 client, 2 implementation, 3 rate limited, 4 forbidden', enum: [0, 1, 2, 3, 4] },
      Type: { type: 'string', const: 'error' }
    },
    required: ['Message', 'Code', 'Type']
  },
  headers: {
    'X-Stream-Error': {
      description:
        'A trailer: the error that happened after the first byte. The chunked body is then left unfinished, unless `rpc.lateFailure` is `finish`.',
      schema: { type: 'string' }
    },
    'X-Chunked-Output': { description: '`1`: objects, one a line, sent as they come.', schema: { type: 'string', const: '1' } },
    'X-Stream-Output': { description: '`1`: octets as they are.', schema: { type: 'string', const: '1' } },
    'X-Content-Length': { description: 'How many octets follow, where that is known.', schema: { type: 'integer' } }
  },
  responses: {
    BadRequest: {
      description: 'The query, its values or the body do not fit the command: one line of text. Some commands answer an error object.',
      content: { ...text, 'application/json': { schema: { $ref: `${SCHEMA}Error` } } }
    },
    Forbidden: {
      description:
        'The caller is not let in: by `API.Authorizations`, its `Origin` or `Referer`, or the `Host` it called. One line of text.',
      content: text
    },
    NotFound: {
      description: 'There is no such command, or it is switched off; then one line of text names the setting that did it.',
      content: text
    },
    MethodNotAllowed: { description: 'Commands take POST alone.', content: text },
    Failed: {
      description: 'The command failed before its first byte.',
      content: { 'application/json': { schema: { $ref: `${SCHEMA}Error` } }, ...text }
    },
    Busy: {
      description:
        'The node runs as many requests as it may, in all or of this caller (`rpc.limits.concurrentRequests`, `rpc.limits.requestsPerCaller`), or is shutting down.',
      content: text
    }
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'A secret of `API.Authorizations`, where that is set.' },
    basic: { type: 'http', scheme: 'basic', description: 'A `basic:` secret of `API.Authorizations`, where that is set.' }
  }
}

/** The answers every operation has besides its own. */
export const otherResponses: Readonly<Record<string, Reference>> = {
  400: { $ref: '#/components/responses/BadRequest' },
  403: { $ref: '#/components/responses/Forbidden' },
  404: { $ref: '#/components/responses/NotFound' },
  405: { $ref: '#/components/responses/MethodNotAllowed' },
  500: { $ref: '#/components/responses/Failed' },
  503: { $ref: '#/components/responses/Busy' }
}

/** The responses of a command, and the schemas that they take, by their names in the document. */
export function answer({ path, reply }: Command): { readonly response: ResponseObject; readonly schemas: Record<string, JsonSchema> } {
  const name = path.replaceAll('/', '.')
  const schemas: Record<string, JsonSchema> = {}
  const add = (as: string, schema: Parameters<typeof wireSchemas>[0]): Reference => {
    const { root, parts } = wireSchemas(schema, SCHEMA + as)
    schemas[as] = root
    for (const [part, of] of Object.entries(parts)) schemas[`${as}.${part}`] = of
    return { $ref: SCHEMA + as }
  }
  const encodings = (json: MediaType) => ({ 'application/json': json, ...text, 'application/xml': { schema: { type: 'string' } } })
  const trailer = { 'X-Stream-Error': header('X-Stream-Error') }
  const described = (description: string, headers: ResponseObject['headers'], content?: ResponseObject['content']) => ({
    description,
    headers: { ...headers, ...trailer },
    ...(content === undefined ? {} : { content })
  })
  switch (reply.kind) {
    case 'value':
      return { response: described('One object.', {}, encodings({ schema: add(name, reply.schema) })), schemas }
    case 'stream': {
      const json = { schema: add(name, reply.schema), ...NDJSON }
      return { response: described(STREAM, { 'X-Chunked-Output': header('X-Chunked-Output') }, encodings(json)), schemas }
    }
    case 'either': {
      const value = add(name, reply.value)
      const item = add(`${name}_item`, reply.items)
      const json = { schema: { anyOf: [value, item] }, 'x-value': value.$ref, 'x-item': item.$ref, ...NDJSON }
      return { response: described(`One object; or, as the options have it: ${STREAM}`, {}, encodings(json)), schemas }
    }
    case 'bytes': {
      const headers = { 'X-Stream-Output': header('X-Stream-Output'), 'X-Content-Length': header('X-Content-Length') }
      const content = { 'text/plain': { schema: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' } } }
      return { response: described('Octets as they are; the type is `text/plain` whatever they hold.', headers, content), schemas }
    }
    case 'nothing':
      return { response: described('Nothing: success has no body.', {}), schemas }
  }
}

const STREAM = 'Objects, each on its line; the schema is that of one.'
const NDJSON = { 'x-stream': 'ndjson' } as const
