import type { NodeKey } from '../../core/index.ts'
import { nodeSchema } from './schema.ts'
import type { Field, StructType, Type } from './types.ts'
import { unread } from './unread.ts'

/** All keys that hold a value, or a block whose members have names of the user's choice, in the file's order. */
export const nodeKeys = (): readonly NodeKey[] => keysBelow(nodeSchema, '')

function keysBelow({ fields }: StructType, prefix: string): NodeKey[] {
  return fields.flatMap(field => {
    const key = prefix + field.name
    return field.type.kind === 'struct' ? keysBelow(field.type, `${key}.`) : [nodeKey(key, field)]
  })
}

function nodeKey(key: string, { type, effective }: Field): NodeKey {
  const why = unread.get(key)
  return {
    key,
    allowed: allowedIn(type),
    ...(effective === undefined ? {} : { effective }),
    ...(why === undefined ? {} : { unread: why })
  }
}

function allowedIn(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.allowed
    case 'list':
      return type.of.kind === 'scalar' ? 'a list of strings' : `a list of objects: ${membersOf(type.of)}`
    case 'map':
      return `an object; of each of its members: ${allowedIn(type.of)}`
    case 'struct':
      return membersOf(type)
  }
}

const membersOf = (type: Type): string => (type.kind === 'struct' ? type.fields.map(({ name }) => name).join(', ') : allowedIn(type))
