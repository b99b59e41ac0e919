import type { z } from 'zod'
import type { Command } from '../../core/index.ts'
import { wireSchemas } from '../openapi/schemas.ts'
import { typeName, typeText } from './type-text.ts'

/** The answer of a command, in a sentence and, where there is one, the shape of its objects. */
export function replyText({ path, reply }: Command): string {
  switch (reply.kind) {
    case 'value':
      return `One object:\n\n${shape(path, reply.schema)}`
    case 'stream':
      return `Objects, each on its line, as they come:\n\n${shape(path, reply.schema)}`
    case 'either':
      return `One object:\n\n${shape(path, reply.value)}\nor, as the options have it, objects, each on its line:\n\n${shape(`${path}_item`, reply.items)}`
    case 'bytes':
      return 'Octets as they are.\n'
    case 'nothing':
      return 'Nothing.\n'
  }
}

/** A shape that contains itself is given a name. */
function shape(path: string, schema: z.ZodType): string {
  const place = `#/components/schemas/${path.replaceAll('/', '.')}`
  const { root, parts } = wireSchemas(schema, place)
  const options = { nameOf: typeName, large: 'number' }
  const whole = typeText(root, options)
  const named = Object.entries(parts).map(([name, part]) => `type ${typeName(`${place}.${name}`)} = ${typeText(part, options)}\n`)
  const isNamed = JSON.stringify([root, parts]).includes(`"$ref":"${place}"`)
  return `\`\`\`ts\n${isNamed ? `type ${typeName(place)} = ` : ''}${whole}\n${named.join('')}\`\`\`\n`
}
