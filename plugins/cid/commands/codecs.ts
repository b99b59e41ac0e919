import { codecByName, multicodecs } from '../../../core/cid/codecs.ts'
import { command, Dag, optional, p } from '../../../core/index.ts'
import { type CodeEntry, entryList, numericOption } from '../entries.ts'

/** Taken by every node, though nothing is ever encoded with it: it marks names and peers. */
const PEER: CodeEntry = { Code: codecByName('libp2p-key'), Name: 'libp2p-key' }

export const codecs = command.read('cid/codecs', {
  help: 'List the codecs of nodes.',
  examples: [{ title: 'List the codecs that nodes can be read in', args: 'cid codecs --supported' }],
  needs: { dag: optional(Dag) },
  options: {
    numeric: numericOption,
    supported: p.bool('Only those that this node can read.').alias('s').default(false)
  },
  ...entryList,
  run: ({ dag }, { options }) => (options.supported ? supported(dag) : known())
})

function known(): CodeEntry[] {
  return multicodecs.filter(({ tag }) => tag === 'ipld').map(entry)
}

/** The codecs of this host. One with a private code counts where nodes can be stored under it; one that is only read, such as git's packed form, is a way of input. */
function supported(dag: Dag | undefined): CodeEntry[] {
  const table = new Set(known().map(({ Code }) => Code))
  const registered = (dag?.codecs() ?? []).filter(({ code, encode }) => table.has(code) || encode !== undefined)
  return [PEER, ...registered.map(entry)].sort((a, b) => a.Code - b.Code)
}

function entry({ code, name }: { code: number; name: string }): CodeEntry {
  return { Code: code, Name: name }
}
