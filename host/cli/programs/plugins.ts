import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const plugins = program({
  path: 'plugins',
  help: 'Show the plugins of the running node, or of the one that would run.',
  options: { json: p.bool('As JSON.') },
  examples: [{ title: 'Why is a plugin off?', args: 'plugins' }],
  async run(call) {
    const { plugins } = await import('../plugin/list.ts')
    return plugins(call, { json: call.options.json === true })
  }
})
