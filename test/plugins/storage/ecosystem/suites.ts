import { registerHooks } from 'node:module'
import type { TestFn } from 'ava'
import type { Blockstore } from 'interface-blockstore'
import type { Datastore } from 'interface-datastore'

type Work = (this: { timeout(): void }) => unknown

interface Scope {
  readonly title: string
  readonly before: Work[]
  readonly beforeEach: Work[]
  readonly afterEach: Work[]
  readonly after: Work[]
  readonly tests: Array<{ title: string; work: Work }>
}

/** Where a store comes from and goes to, as the ecosystem's suites want it. */
export interface Stores<S> {
  setup(): Promise<S>
  teardown(store: S): Promise<void>
}

const context = { timeout: () => {} }

/** Runs the blockstore suite of the ecosystem as AVA tests. */
export async function blockstoreSuite(test: TestFn, title: string, stores: Stores<Blockstore>): Promise<void> {
  withExpect()
  const { interfaceBlockstoreTests } = await import('interface-blockstore-tests')
  run(test, `${title}: blockstore`, () => interfaceBlockstoreTests(stores))
}

/** Runs the datastore suite of the ecosystem as AVA tests. */
export async function datastoreSuite(test: TestFn, title: string, stores: Stores<Datastore>): Promise<void> {
  withExpect()
  const { interfaceDatastoreTests } = await import('interface-datastore-tests')
  run(test, `${title}: datastore`, () => interfaceDatastoreTests(stores))
}

/** The suites import their assertions from a build tool of 400 packages; this gives them ours. */
function withExpect(): void {
  const url = new URL('./expect.js', import.meta.url).href
  registerHooks({
    resolve: (specifier, info, next) => (specifier === 'aegir/chai' ? { url, shortCircuit: true } : next(specifier, info))
  })
}

/** The suites are written for mocha's globals. */
function run(test: TestFn, title: string, suite: () => void): void {
  const scopes: Scope[] = []
  const current = () => scopes.at(-1) as Scope
  Object.assign(globalThis, {
    describe(name: string, body: () => void) {
      scopes.push({ title: name, before: [], beforeEach: [], afterEach: [], after: [], tests: [] })
      body()
    },
    it: (name: string, work: Work) => current().tests.push({ title: name, work }),
    before: (work: Work) => current().before.push(work),
    beforeEach: (work: Work) => current().beforeEach.push(work),
    afterEach: (work: Work) => current().afterEach.push(work),
    after: (work: Work) => current().after.push(work)
  })
  suite()
  for (const scope of scopes) {
    scope.tests.forEach(({ title: name, work }, i) => {
      test.serial(`${title}: ${scope.title}: ${name}`, async t => {
        const all = async (works: readonly Work[]) => {
          for (const one of works) await one.call(context)
        }
        if (i === 0) await all(scope.before)
        await all(scope.beforeEach)
        try {
          await work.call(context)
          t.pass()
        } finally {
          await all(scope.afterEach)
          if (i === scope.tests.length - 1) await all(scope.after)
        }
      })
    })
  }
}
