import { inject, injectable } from 'tsyringe'
import { Blocks, Dag, type UnixFs } from '../../core/index.ts'
import { UnixFsExporter } from '../../core/unixfs/export/exporter.ts'

/** Files and directories over this host's blocks and codecs. */
@injectable()
export class UnixFsEngine extends UnixFsExporter implements UnixFs {
  constructor(@inject(Blocks) blocks: Blocks, @inject(Dag) dag: Dag) {
    super({ blocks, codecs: dag })
  }
}
