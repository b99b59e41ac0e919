import { blockOptions } from '../../../../core/blocks/options.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { bytes, command, p, UnixFs } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'
import { objectNeeds } from '../../objects.ts'
import { tarBytes } from '../../tar-export.ts'
import { TAR_ROOT } from '../../tar-import.ts'

export const tarCat = command.read('tar/cat', {
  status: 'deprecated',
  help: 'Write a tar archive that tar/add has stored.',
  needs: { ...objectNeeds, unixfs: UnixFs },
  args: { path: p.contentPath('The archive.').fromBody() },
  reply: bytes(),
  async run(sources, call) {
    const how = blockOptions(call)
    const { node } = await loadProtoNode(call.args.path, sources, how)
    if (!TAR_ROOT.equals(node.data)) throw olderErrors.E_TAR_NOT()
    return { bytes: tarBytes(node.links, sources, how) }
  }
})
