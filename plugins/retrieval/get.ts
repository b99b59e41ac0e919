import { blockOptions } from '../../core/blocks/index.ts'
import { isDasl, parseCid } from '../../core/cid/index.ts'
import { Blocks, bytes, type CID, command, p } from '../../core/index.ts'
import { retrievalErrors } from './errors.ts'
import { RetrievalOfNode } from './retrieval.ts'
import { isHost } from './settings.ts'

/** Hosts of one URL that are asked. */
export const MAX_HINTS = 8

export const get = command.admin('retrieval/get', {
  status: 'experimental',
  help: 'Get the block that a RASL URL names, from whoever has it first: this node, its peers and gateways, and the hosts that the URL hints at.',
  examples: [
    {
      title: 'Ask a host for a block as well',
      args: 'retrieval get "rasl://bafkreiakyqic32ailnvf2y4ip6gwxf4z62aojoyplmqzlmloqfgms5y6i4/?hint=host.example"'
    }
  ],
  needs: { blocks: Blocks, retrieval: RetrievalOfNode },
  args: { url: p.string('The URL: `rasl://CID/?hint=HOST&hint=HOST`.').fromBody() },
  reply: bytes(),
  async run({ blocks, retrieval }, call) {
    const { cid, hints } = parseRasl(call.args.url)
    const also = hints.length === 0 ? [] : [retrieval.hinted(hints)]
    return { bytes: [await blocks.get(cid, { ...blockOptions(call), asked: true, also })] }
  }
})

/**
 * Reads a RASL URL (dasl.ing/rasl.html). Hints that are no hosts are passed over, and so is its path.
 *
 * @throws E_RETRIEVAL_URL
 */
function parseRasl(text: string): { readonly cid: CID; readonly hints: readonly string[] } {
  const url = URL.parse(text)
  if (url?.protocol !== 'rasl:') throw retrievalErrors.E_RETRIEVAL_URL(text)
  try {
    const cid = parseCid(url.hostname)
    if (isDasl(cid)) return { cid, hints: url.searchParams.getAll('hint').filter(isHost).slice(0, MAX_HINTS) }
  } catch {
    // said below
  }
  throw retrievalErrors.E_RETRIEVAL_URL(text)
}
