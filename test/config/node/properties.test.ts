import test from 'ava'
import fc from 'fast-check'
import { nodeConfigModel as model } from '../../../config/node/index.ts'
import { type Json, type NodeConfig, NodeError } from '../../../core/index.ts'
import { EMPTY, FRESH } from './expected.ts'

/** Names that the configuration knows, in any case, beside any others. */
const names = fc.oneof(
  fc.constantFrom(...Object.keys(FRESH), ...Object.values(FRESH).flatMap(block => Object.keys(block))),
  fc.constantFrom('swarm', 'DATASTORE', '__proto__', 'constructor', 'Limits', 'Throttle', 'Bitswap', 'Authorizations'),
  fc.string()
)
const documents = fc.letrec<{ value: Json; object: NodeConfig }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, '', 'x', '1h', 'default', 'enabled', '10GB'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object')
  ),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 6 }).map(members => {
    const object = {}
    for (const [key, value] of members) Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
    return object as NodeConfig
  })
})).object

/** The typed view, unless the document is refused; a refusal is always an error of ours. */
function typed(document: NodeConfig): NodeConfig | undefined {
  try {
    return model.typed(document)
  } catch (error) {
    if (error instanceof NodeError && error.code === 'E_CONFIG_TYPE' && error.message !== '') return undefined
    throw error
  }
}

test('any document is either refused in words or read to a form that reads as itself', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(documents, document => {
        const once = typed(document)
        if (once !== undefined) t.deepEqual(model.typed(once), once)
      })
    )
  )
})

test('what is written is read back as it was', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(documents, document => {
        const text = JSON.stringify(document)
        fc.pre(typed(document) !== undefined)
        t.is(JSON.stringify(model.parse(model.print(document), 'config')), text)
        const sorted = model.print(document, { sorted: true })
        // of keys that differ in case alone the last counts, so sorting may make another document of it
        fc.pre(typed(JSON.parse(sorted)) !== undefined)
        t.is(model.print(model.parse(sorted, 'config'), { sorted: true }), sorted)
      })
    )
  )
})

test('laying a document upon another loses no key of either', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(documents, documents, (file, changes) => {
        const merged = model.merge(file, changes)
        t.deepEqual(Object.keys(merged).sort(), [...new Set([...Object.keys(file), ...Object.keys(changes)])].sort())
        t.is(model.print(model.merge(merged, changes)), model.print(merged))
      })
    )
  )
})

test('whatever a document says, every key that has a default has an effective value', t => {
  const keys = Object.keys(EMPTY)
  t.notThrows(() =>
    fc.assert(
      fc.property(documents, document => {
        fc.pre(typed(document) !== undefined)
        const effective = model.effective(document)
        for (const key of keys) t.true(Object.hasOwn(effective, key))
        t.not((effective['Swarm'] as { ConnMgr: NodeConfig }).ConnMgr['GracePeriod'], null)
      })
    )
  )
})
