import { inject, injectable } from 'tsyringe'
import { Blocks, Dag, Settings, type UnixFs } from '../../core/index.ts'
import { UnixFsExporter } from '../../core/unixfs/export/exporter.ts'
import type { ContentSettings } from './settings.ts'

/** Files and directories over this host's blocks and codecs, within its limits. */
@injectable()
export class UnixFsEngine extends UnixFsExporter implements UnixFs {
  constructor(@inject(Blocks) blocks: Blocks, @inject(Dag) dag: Dag, @inject(Settings) settings: ContentSettings) {
    super({ blocks, codecs: dag, limits: settings.read })
  }
}
