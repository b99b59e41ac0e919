import test from 'ava'
import { goFormatter } from '../../../host/encode/go-format.ts'
import { jsonWriter } from '../../../host/encode/json.ts'
import { xmlWriter } from '../../../host/encode/xml.ts'
import { CommandTree } from '../../../host/rpc/command-tree.ts'
import { commands } from '../../../plugins/diagnostics/commands/commands.ts'
import { completions } from '../../../plugins/diagnostics/commands/completion.ts'
import { commandNode } from '../../../plugins/diagnostics/tree.ts'
import { callsOf } from '../../helpers/calls.ts'

const tree = { Name: 'ipfs', Subcommands: [{ Name: 'id', Subcommands: [], Options: [{ Names: ['format', 'f'] }] }], Options: [] }

test('a tree, whose branches are trees, is written in every encoding', t => {
  t.is(jsonWriter(commandNode)(tree), JSON.stringify(tree))
  t.is(
    xmlWriter(commandNode, 'Command')(tree),
    '<Command><Name>ipfs</Name><Subcommands><Name>id</Name><Options><Names>format</Names><Names>f</Names></Options></Subcommands></Command>'
  )
  t.is(goFormatter(commandNode)(tree), '&{ipfs [{id [] [{[format f]}]}] []}')
})

test('a command that only a terminal has is no argument of the command above it', t => {
  const served = new CommandTree(callsOf([commands, ...completions]), [])
  t.true('endpoint' in served.find('/api/v0/commands'))
  for (const path of ['completion', 'completion/bash', 'completion/bash/x']) {
    t.deepEqual(served.find(`/api/v0/commands/${path}`), { reason: undefined }, path)
  }
})
