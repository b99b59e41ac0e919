import type { Blocks, Dag, Denylist } from '../../core/index.ts'
import { ContentPathResolver } from '../../core/path/resolver.ts'

/** Content paths over this host's blocks and codecs. */
export class Paths extends ContentPathResolver {
  constructor(blocks: Blocks, codecs: Dag, denylist?: Denylist) {
    super({ blocks, codecs }, denylist?.coversCalls === true ? denylist : undefined)
  }
}
