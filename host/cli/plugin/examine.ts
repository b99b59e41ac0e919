/**
 * A plugin is looked at in a process of its own, as importing it may do anything: this is what runs there. It gets the module's path as its
 * argument and sends what it found.
 *
 * @packageDocumentation
 */

import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { plugin as made, messageOf, type Plugin, tokenName, tokenOf } from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { createHost } from '../../create.ts'
import type { NodeHost } from '../../host.ts'
import { Trial } from '../../http/listen/trial.ts'
import { imported, isPlugin } from '../../plugins/load/import.ts'
import { importFailure } from '../../plugins/load/import-failure.ts'
import { HOST_SERVICES } from '../../services.ts'
import { programs } from '../programs/index.ts'
import { declarationFindings } from './declared.ts'
import { type Finding, finding } from './finding.ts'
import { rangeFindings } from './package.ts'

async function examine(module: string): Promise<readonly Finding[]> {
  const before = process.getActiveResourcesInfo().length
  let exported: unknown
  try {
    exported = (await imported(module)).default
  } catch (error) {
    const { what, remedy = 'mend that; what can fail belongs into the start of a service' } = await importFailure(error, module)
    return [finding(`it throws when it is imported: ${what}`, remedy)]
  }
  if (!isPlugin(exported))
    return [finding('its module has no default export made by plugin(…)', 'export default plugin({ name, api, about, … })')]
  const found: Finding[] = []
  const left = process.getActiveResourcesInfo().slice(before)
  if (left.length > 0)
    found.push(
      finding(
        `importing it leaves something running (${[...new Set(left)].join(', ')})`,
        'begin it in the start of a service, end it in its stop'
      )
    )
  const plugin: Plugin = { ...made({ name: exported.name, api: exported.api, about: exported.about }), ...exported }
  found.push(...rangeFindings(plugin.api, 'it names no api range', "write api: '^1' in plugin({ … })"))
  const services = new Set([...catalogue.flatMap(entry => entry.services), ...[...HOST_SERVICES, ...OF_EVERY_PLUGIN].map(tokenName)])
  found.push(...declarationFindings(plugin, { builtIns: catalogue, programs: programs.map(({ path }) => path), services }))
  return found.length > 0 ? found : composed(plugin)
}

/** The findings of a host in which the plugin stands beside the built-ins; nothing starts. */
async function composed(plugin: Plugin): Promise<Finding[]> {
  const builtIn = new Map(catalogue.flatMap(({ name, services, offByDefault }) => (offByDefault ? [] : services.map(one => [one, name]))))
  const mine = plugin.provides.map(({ token }) => tokenName(token)).filter(name => builtIn.has(name))
  const wrapped = new Set(plugin.requires.map(need => innerName(tokenOf(need))))
  const services = Object.fromEntries(mine.map(name => [name, wrapped.has(name) ? [plugin.name, builtIn.get(name)!] : plugin.name]))
  try {
    const host = await createHost({ plugins: [plugin], configuration: { services }, repo: { path: undefined, init: {} } })
    return await listening(host)
  } catch (error) {
    return [finding(`a host refuses it: ${firstLine(messageOf(error))}`, 'mend that')]
  }
}

/** Listeners that would not open here with the plugin's own defaults. */
async function listening(host: NodeHost): Promise<Finding[]> {
  const found: Finding[] = []
  const trial = new Trial()
  for (const listener of host.planned.listeners) {
    await trial.openPlanned(listener).catch(error => {
      found.push(
        finding(`a host refuses it here: ${firstLine(messageOf(error))}`, 'stop what listens there, or give the plugin another port')
      )
    })
  }
  await trial.close()
  return found
}

const firstLine = (text: string) => text.split('\n')[0]!

process.on('unhandledRejection', () => {})
process.on('uncaughtException', error =>
  process.send?.([finding(`it throws while it is imported: ${firstLine(messageOf(error))}`, 'mend that')])
)
// it is ended by who started it, once the message is there
process.channel?.ref()
process.send?.(await examine(process.argv[2]!))
