import { codecByName, multicodecs } from '../../../core/cid/codecs.ts'
import { command, Dag, optional, p } from '../../../core/index.ts'
import { type Entry, entriesReply, entryLines } from '../entries.ts'

/** Taken by every node, though nothing is ever encoded with it: it marks names and peers. */
const PEER: Entry = { Code: codecByName('libp2p-key'), Name: 'libp2p-key' }

export const codecs = command({
  path: 'cid/codecs',
  access: 'read',
  help: 'List the codecs of nodes.',
  needs: { dag: optional(Dag) },
  options: {
    numeric: p.bool('Show the number too, in text.').alias('n').default(false),
    supported: p.bool('Only those that this node can read.').alias('s').default(false)
  },
  reply: entriesReply,
  xml: 'CodeAndName',
  text: (entries, { options }) => entryLines(entries, options.numeric),
  run: ({ dag }, { options }) => (options.supported ? supported(dag) : known())
})

function known(): Entry[] {
  return multicodecs.filter(({ tag }) => tag === 'ipld').map(({ code, name }) => ({ Code: code, Name: name }))
}

function supported(dag: Dag | undefined): Entry[] {
  const registered = (dag?.codecs() ?? []).map(({ code, name }) => ({ Code: code, Name: name }))
  return [PEER, ...registered].sort((a, b) => a.Code - b.Code)
}
