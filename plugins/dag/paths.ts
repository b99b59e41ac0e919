import { inject, injectable } from 'tsyringe'
import { Blocks, Dag } from '../../core/index.ts'
import { ContentPathResolver } from '../../core/path/resolver.ts'

/** Content paths over this host's blocks and codecs. */
@injectable()
export class Paths extends ContentPathResolver {
  constructor(@inject(Blocks) blocks: Blocks, @inject(Dag) codecs: Dag) {
    super({ blocks, codecs })
  }
}
