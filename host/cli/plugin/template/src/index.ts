import { command, defineErrors, Log, Metrics, p, plugin, service, settings, value } from 'holdfast'
import { z } from 'zod'
import { FriendlyGreetings, Greetings } from './greetings.ts'

const schema = z.strictObject({ greeting: z.string().default('hello').describe('What people are told.') })

const errors = defineErrors({
  E_NAME_EMPTY: { wire: 'client', message: () => 'starter/greet: whom? The name is empty' }
})

const greet = command.read('starter/greet', {
  help: 'Greet somebody.',
  needs: { greetings: Greetings },
  args: { name: p.string('Whom to greet.') },
  options: { loud: p.bool('Shout.').alias('l') },
  reply: value(z.object({ Message: z.string() })),
  text: ({ Message }) => `${Message}\n`,
  run({ greetings }, { args, options }) {
    if (args.name === '') throw errors.E_NAME_EMPTY()
    const message = greetings.greet(args.name)
    return { Message: options.loud ? message.toUpperCase() : message }
  }
})

export default plugin({
  name: 'starter',
  api: '^1',
  about: 'Greets.',
  settings: schema,
  provides: [
    service(Greetings, {
      needs: { settings: settings<typeof schema>(), log: Log, metrics: Metrics },
      make: ({ settings, log, metrics }) => new FriendlyGreetings({ greeting: settings.greeting, log, metrics })
    })
  ],
  commands: [greet],
  errors
})
