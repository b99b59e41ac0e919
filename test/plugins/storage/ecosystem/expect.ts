import assert from 'node:assert/strict'

type Step = (subject: unknown) => unknown

/** The part of chai's `expect` that the ecosystem's test suites of stores use, over `node:assert`. */
export function expect(subject: unknown, message?: string): Expectation {
  return new Expectation(subject, message)
}

class Expectation {
  readonly to = this
  readonly be = this
  readonly of = this
  readonly have = this
  readonly with = this
  readonly that = this
  readonly #steps: Step[] = []
  readonly #message: string | undefined
  #subject: unknown
  #deferred = false
  #deep = false
  #not = false

  constructor(subject: unknown, message?: string) {
    this.#subject = subject
    this.#message = message
  }

  get deep(): this {
    this.#deep = true
    return this
  }
  get not(): this {
    this.#not = true
    return this
  }
  /** What follows is about what the promise resolves to; the whole has to be awaited. */
  get eventually(): this {
    this.#deferred = true
    return this
  }
  /** What follows is about the error. */
  get rejected(): this {
    const promise = Promise.resolve(this.#subject)
    this.#subject = promise.then(
      () => assert.fail(this.#message ?? 'expected a rejection'),
      error => error
    )
    return this
  }

  equal(expected: unknown): this {
    return this.#check(subject => (this.#deep ? assert.deepEqual(subject, expected) : assert.equal(subject, expected)))
  }
  eql(expected: unknown): this {
    return this.#check(subject => assert.deepEqual(subject, expected))
  }
  true(message?: string): this {
    return this.#check(subject => assert.equal(subject, true, message))
  }
  false(message?: string): this {
    return this.#check(subject => assert.equal(subject, false, message))
  }
  ok(): this {
    return this.#check(subject => assert.ok(subject))
  }
  exist(): this {
    return this.#check(subject => assert.equal(subject !== null && subject !== undefined, !this.#not))
  }
  greaterThan(least: number): this {
    return this.#check(subject => assert.ok((subject as number) > least, `${subject} > ${least}`))
  }
  length(expected: number): this {
    return this.#check(subject => assert.equal((subject as { length: number }).length, expected))
  }
  lengthOf(expected: number): this {
    return this.length(expected)
  }
  members(expected: readonly unknown[]): this {
    return this.#check(subject => {
      const found = subject as readonly unknown[]
      assert.equal(found.length, expected.length)
      for (const member of expected) assert.ok(found.some(item => same(item, member)))
    })
  }
  include(part: string): this {
    return this.#check(subject => assert.ok((subject as string).includes(part), `${subject} includes ${part}`))
  }
  property(name: string, ...expected: unknown[]): this {
    return this.#step(subject => {
      const value = (subject as Record<string, unknown>)[name]
      if (expected.length > 0) assert.equal(value, expected[0])
      return value
    })
  }

  // biome-ignore lint/suspicious/noThenProperty: chai-as-promised makes its expectations awaitable
  then(resolve: (value: undefined) => unknown, reject: (error: unknown) => unknown): Promise<unknown> {
    const finish = async () => {
      if (!this.#deferred) return undefined
      let subject = await this.#subject
      for (const step of this.#steps) subject = step(subject)
      return undefined
    }
    return finish().then(resolve, reject)
  }

  #check(check: (subject: unknown) => void): this {
    return this.#step(subject => {
      check(subject)
      return subject
    })
  }

  #step(step: Step): this {
    if (this.#deferred) this.#steps.push(step)
    else this.#subject = step(this.#subject)
    return this
  }
}

function same(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}
