import { p } from '../../../core/contract/params.ts'
import { program } from './program.ts'

export const pluginNew = program({
  path: 'plugin/new',
  help: 'Write a package with a plugin of your own: a command, a service, and their test.',
  tolerant: true,
  args: { name: p.name('Its name: acme-audit becomes the package holdfast-plugin-acme-audit.') },
  examples: [{ title: 'Begin a plugin', args: 'plugin new acme-audit' }],
  async run({ args, terminal }) {
    const { create } = await import('../plugin/new.ts')
    return create(args.name, terminal)
  }
})

export const pluginCheck = program({
  path: 'plugin/check',
  help: 'Say what a host would refuse of a plugin, before it is published.',
  tolerant: true,
  args: { path: p.file('The folder of a package, or a file.').optional().default('.') },
  examples: [
    { title: 'Check the package in the working directory', args: 'plugin check' },
    { title: 'Check a single file', args: 'plugin check ./audit.ts' }
  ],
  async run({ args, terminal }) {
    const { check } = await import('../plugin/check.ts')
    return check(args.path, terminal)
  }
})
