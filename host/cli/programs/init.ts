import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const init = program({
  path: 'init',
  help: 'Make a repo.',
  tolerant: true,
  args: { defaultConfig: p.file('A node configuration (JSON) to start from.').optional() },
  options: {
    algorithm: p.string('The kind of key.').alias('a').default('ed25519').oneOf('ed25519', 'rsa'),
    bits: p.string('Bits of an rsa key.').alias('b'),
    emptyRepo: p.bool('Add no help files.').alias('e').default(true),
    profile: p.string('Configuration profiles, joined by commas.').alias('p')
  },
  examples: [
    { title: 'Make a repo in ~/.holdfast', args: 'init' },
    { title: 'Make one for a machine in a data centre', args: 'init --profile server' }
  ],
  async run(call) {
    const { init } = await import('../node/init.ts')
    return init({ ...call.options, defaultConfig: call.args.defaultConfig }, call)
  }
})
