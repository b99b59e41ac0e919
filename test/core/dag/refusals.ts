import test from 'ava'
import { failure } from './samples.ts'

type Way = (input: string) => unknown

/** A test for each input that a codec refuses, in whatever way it is read, with the message of its error. */
export function refusals(codec: string, ways: readonly Way[], rows: ReadonlyArray<readonly [input: string, message: string]>): void {
  for (const [input, message] of rows) {
    test(`${codec} refuses ${JSON.stringify(input)}: ${message}`, t => {
      t.plan(ways.length)
      for (const way of ways) {
        t.is(
          failure(() => way(input)),
          message
        )
      }
    })
  }
}
