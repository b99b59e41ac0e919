/** The smallest plugin: one command. Switch it on with `plugins: { ./examples/hello.ts: on }`. */
import { command, p, plugin, value } from 'holdfast'
import { z } from 'zod'

export const hello = command.read('hello', {
  help: 'Greet somebody.',
  args: { name: p.string('Whom to greet.') },
  options: { loud: p.bool('Shout.').alias('l') },
  reply: value(z.object({ Message: z.string() })),
  run: (_, { args, options }) => ({ Message: options.loud ? `HELLO, ${args.name}!` : `hello, ${args.name}` })
})

export default plugin({ name: 'hello', api: '^1', about: 'Greets.', commands: [hello] })
