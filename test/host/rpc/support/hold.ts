import { z } from 'zod'
import { type Command, command, value } from '../../../../core/index.ts'

/** A command `hold` that answers when somebody says so, and when somebody has called it. */
export function holding(): { hold: Command; arrived: () => Promise<void>; answer: () => void } {
  let calls = Promise.withResolvers<void>()
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
  const hold = command.read('hold', {
    help: 'Hold its caller up.',
    reply: value(z.looseObject({})),
    run() {
      calls.resolve()
      return promise
    }
  })
  const arrived = async () => {
    await calls.promise
    calls = Promise.withResolvers<void>()
  }
  return { hold, arrived, answer: () => resolve({}) }
}
