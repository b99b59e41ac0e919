import { z } from 'zod'
import { command, stream } from '../../../../core/index.ts'
import { dependencies } from '../../dependencies.ts'
import { diagnosticsErrors } from '../../errors.ts'

export const versionDeps = command.read('version/deps', {
  help: 'List the packages that this node was installed with.',
  examples: [{ title: 'List the packages', args: 'version deps' }],
  reply: stream(z.object({ Path: z.string(), Version: z.string(), ReplacedBy: z.string(), Sum: z.string() })),
  xml: 'Dependency',
  text: ({ Path, Version, ReplacedBy }) => `${Path}@${Version}${ReplacedBy === '' ? '' : ` => ${ReplacedBy}`}\n`,
  async *run() {
    let any = false
    for await (const { name, version, installed } of dependencies()) {
      any = true
      yield { Path: name, Version: version, ReplacedBy: installed, Sum: '' }
    }
    if (!any) throw diagnosticsErrors.E_NO_DEPENDENCIES()
  }
})
