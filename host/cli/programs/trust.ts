import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const trust = program({
  path: 'trust',
  help: 'Have commands find their configuration and plugins in a folder.',
  tolerant: true,
  args: { folder: p.file('The folder (else the working directory).').optional() },
  options: {
    list: p.bool('Show the folders that are trusted.'),
    remove: p.bool('Trust it no more.')
  },
  examples: [
    { title: 'Trust the working directory, as init and daemon do', args: 'trust' },
    { title: 'Which folders are trusted?', args: 'trust --list' },
    { title: 'Trust a folder no more', args: 'trust --remove ./old' }
  ],
  async run({ args, options, terminal }) {
    const { trust } = await import('../trust/trust.ts')
    return trust({ folder: args.folder, list: options.list === true, remove: options.remove === true }, terminal)
  }
})
