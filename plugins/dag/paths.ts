import { Blocks, Dag } from '../../core/index.ts'
import { ContentPathResolver } from '../../core/path/resolver.ts'

/** Content paths over this host's blocks and codecs. */
export class Paths extends ContentPathResolver {
  constructor(blocks: Blocks, codecs: Dag) {
    super({ blocks, codecs })
  }
}
