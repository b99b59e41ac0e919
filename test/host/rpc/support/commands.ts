import { z } from 'zod'
import { command, defineErrors, files, nothing, p, stream, value } from '../../../../core/index.ts'
import { echoing } from '../../../helpers/plugin.ts'

export const fakeErrors = defineErrors({
  E_FAKE: { message: (text: string) => text },
  E_FAKE_CLIENT: { wire: 'client', message: (text: string) => text }
})

const item = z.object({ N: z.int() })

/** Answers one object. */
export const one = command.read('one', {
  help: 'One object.',
  options: { fail: p.string('Fail with this.'), client: p.bool('As the caller’s fault.') },
  reply: value(z.object({ Text: z.string(), Absent: z.string().optional(), Nothing: z.null() })),
  run(_, { options }) {
    if (options.fail !== undefined) throw (options.client ? fakeErrors.E_FAKE_CLIENT : fakeErrors.E_FAKE)(options.fail)
    return { Text: '<&>\u2028é', Nothing: null }
  }
})

/** Counts to `count`; fails before `fail`. Waits for an immediate after each when `slow`. */
export const count = command.read('count', {
  help: 'Numbers.',
  options: {
    count: p.int('How many.').default(3),
    fail: p.int('Fail before this one.').default(-1),
    slow: p.bool('One a turn.').default(false)
  },
  reply: stream(item),
  xml: 'Item',
  text: ({ N }) => `${N}\n`,
  async *run(_, { options }) {
    for (let n = 0; n < options.count; n++) {
      if (n === options.fail) throw fakeErrors.E_FAKE('broken\nin two')
      yield { N: n }
      if (options.slow) await new Promise(resolve => setImmediate(resolve))
    }
    if (options.fail === options.count) throw fakeErrors.E_FAKE('broken at the end')
  }
})

export const echo = echoing('echo')

/** Names what is in an upload, reading the bytes of files only when told to. */
export const parts = command.read('parts', {
  help: 'The parts of an upload.',
  options: { read: p.bool('Read the bytes too.').default(false) },
  body: files('data', 'Anything.'),
  reply: stream(z.object({ Path: z.string(), Kind: z.string(), Data: z.string().optional(), AbsPath: z.string().optional() })),
  async *run(_, { body, options }) {
    for await (const { path, kind, bytes: data, absPath } of body) {
      const chunks: Uint8Array[] = []
      if (options.read) for await (const chunk of data()) chunks.push(chunk)
      yield { Path: path, Kind: kind, Data: options.read ? Buffer.concat(chunks).toString() : undefined, AbsPath: absPath }
    }
  }
})

/** Sends back its arguments and options. */
export const say = command.read('say', {
  help: 'What was said.',
  args: { first: p.string('One.'), others: p.string('Others.').many().optional().fromBody({ trim: true }) },
  options: {
    flag: p.bool('A flag.').alias('f'),
    size: p.uint64('A size.'),
    small: p.int('A number.'),
    ratio: p.float('A ratio.'),
    list: p.string('Many.').many().alias('l'),
    wait: p.duration('A time.')
  },
  reply: value(z.record(z.string(), z.unknown())),
  run: (_, { args, options }) => {
    const { flag, size, small, ratio, list, wait, offline, encoding } = options
    return { first: args.first, others: args.others, flag, size, small, ratio, list, wait, offline, encoding }
  }
})

export const silent = command.read('group/silent', { help: 'Nothing.', reply: nothing(), run: () => {} })

export const all = [one, count, echo, parts, say, silent]
