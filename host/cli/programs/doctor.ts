import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const doctor = program({
  path: 'doctor',
  help: 'Look for what keeps a node from working here, and say what to do about it.',
  tolerant: true,
  options: {
    json: p.bool('As JSON.'),
    start: p.bool('Also start the plugins, without peers and listeners, and look whether what is kept is there; where no node runs.')
  },
  examples: [
    { title: 'Look at another repo', args: 'doctor --repo /var/lib/holdfast' },
    { title: 'Find out which plugin keeps a node from starting', args: 'doctor --start' }
  ],
  async run({ options, terminal, commands }) {
    const { findings, drawFindings } = await import('../doctor/index.ts')
    const found = await findings({ globals: options, commands, terminal }, options.start)
    terminal.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : drawFindings(found, options.start))
    return found.some(({ state }) => state === 'wrong') ? 1 : 0
  }
})
