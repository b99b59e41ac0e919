import { blockOptions } from '../../../core/blocks/options.ts'
import { parseInteger } from '../../../core/go/number.ts'
import { command, p } from '../../../core/index.ts'
import { modeOfGo } from '../../../core/unixfs/go-mode.ts'
import { storedMode } from '../../../core/unixfs/metadata.ts'
import { checkPath } from '../paths.ts'
import { describing, flushOption, treePath } from './common.ts'

export const chmod = command.write('files/chmod', {
  help: 'Change the permissions of a file or directory of the mutable tree; 0 takes them away.',
  examples: [{ title: 'Let everybody read a file', args: 'files chmod 0644 /site/index.html' }],
  ...describing,
  args: { mode: p.string('Permissions in octal: 0644.'), path: treePath('A path of the tree.') },
  options: { flush: flushOption },
  async run({ mfs }, call) {
    const path = checkPath(call.args.path)
    const mode = storedMode(modeOfGo(Number(BigInt.asUintN(32, parseInteger(call.args.mode, 32, true, 8)))))
    await mfs.describe(path, { mode }, blockOptions(call))
  }
})
