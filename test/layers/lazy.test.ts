import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What loads as soon as `file` does: everything that it and what it loads import at the head. */
async function loadedWith(file: string, loaded = new Set<string>()): Promise<Set<string>> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const source = (await readFile(root + file, 'utf8')).replace(/\/\*[\s\S]*?\*\//g, '')
  for (const [, type, from] of source.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)) {
    if (type !== undefined || !from!.startsWith('.')) continue
    await loadedWith(normalize(join(dirname(file), from!)), loaded)
  }
  return loaded
}

test('what describes the commands to readers and programs does not load with a node', async t => {
  const heads = ['host/cli/bin.ts', 'host/cli/node/daemon.ts', 'host/rpc/listener.ts', 'host/index.ts', 'host/host.ts']
  const loaded = new Set((await Promise.all(heads.map(head => loadedWith(head)))).flatMap(files => [...files]))
  t.true(loaded.has('host/rpc/documents.ts'))
  const lazy = /^host\/(openapi|reference|client|rpc\/docs)\//
  t.deepEqual(
    [...loaded].filter(file => lazy.test(file)),
    []
  )
})

test('the client loads nothing of the node but the names of parameters, and what writes texts and modes as Go has them', async t => {
  const loaded = await loadedWith('host/client/index.ts')
  t.deepEqual([...loaded].filter(file => !file.startsWith('host/client/')).sort(), [
    'core/contract/params.ts',
    'core/go/trim.ts',
    'core/unixfs/go-mode.ts'
  ])
})

/** The libraries that a file imports at its head. */
async function librariesOf(file: string): Promise<string[]> {
  const source = (await readFile(root + file, 'utf8')).replace(/\/\*[\s\S]*?\*\//g, '')
  const imports = [...source.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)]
  return imports.filter(([, type, from]) => type === undefined && !from!.startsWith('.')).map(([, , from]) => from!)
}

test('a node without the network loads nothing of libp2p', async t => {
  const heads = [
    'host/cli/bin.ts',
    'host/cli/node/daemon.ts',
    'host/index.ts',
    'core/index.ts',
    'plugins/swarm/index.ts',
    'plugins/diagnostics/index.ts'
  ]
  const loaded = new Set((await Promise.all(heads.map(head => loadedWith(head)))).flatMap(files => [...files]))
  t.true(loaded.has('plugins/swarm/commands/connect.ts'))
  t.deepEqual(
    [...loaded].filter(file => file.startsWith('plugins/network/')),
    []
  )
  const libraries = new Set((await Promise.all([...loaded].map(librariesOf))).flat())
  t.deepEqual(
    [...libraries].filter(library => /libp2p|@multiformats\/multiaddr/.test(library)),
    []
  )
})
