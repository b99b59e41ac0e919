import {
  type AnyProvision,
  type Command,
  globalOptions,
  isOptional,
  type Need,
  namesOf,
  type Parameters,
  type Plugin,
  tokenName,
  tokenOf
} from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import { routeKey, routeProblem } from '../../http/routes/declared.ts'
import { routeName } from '../../http/routes/plugin-routes.ts'
import { type Finding, finding } from './finding.ts'
import { schemaFindings, settingsFindings } from './schemas.ts'

/** The surroundings of a plugin on a host. */
interface Surroundings {
  /** Built-in plugins by name, with the paths of their commands. */
  readonly builtIns: ReadonlyArray<{ readonly name: string; readonly paths: readonly string[] }>
  /** Paths that the command line has itself. */
  readonly programs: readonly string[]
  /** Names of services that built-ins or the host provide. */
  readonly services: ReadonlySet<string>
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const PATH = /^[a-z0-9]+([-/][a-z0-9]+)*$/i
const OPTION = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** The faults of a plugin as it is declared, nothing of it made or started. */
export function declarationFindings(plugin: Plugin, around: Surroundings): Finding[] {
  const found: Finding[] = []
  if (!NAME.test(plugin.name)) found.push(finding(`the name '${plugin.name}' is none`, "use small letters, digits and '-': acme-audit"))
  if (around.builtIns.some(({ name }) => name === plugin.name))
    found.push(finding(`the name '${plugin.name}' is that of a built-in`, 'choose another one'))
  if (!isText(plugin.about)) found.push(finding("it says nothing about itself ('about')", 'say in one sentence what it is for'))
  if (plugin.settings !== undefined) found.push(...settingsFindings(plugin.settings))
  const seen = new Set<string>()
  for (const command of plugin.commands) {
    if (seen.has(command.path)) found.push(finding(`the command '${command.path}' is declared twice`, 'give each its own path'))
    seen.add(command.path)
    found.push(...pathFindings(command, around), ...commandFindings(command))
  }
  found.push(...needFindings(plugin, around), ...routeFindings(plugin))
  return found
}

function pathFindings({ path }: Command, { builtIns, programs }: Surroundings): Finding[] {
  const found: Finding[] = []
  if (!PATH.test(path)) found.push(finding(`the path '${path}' is none`, "join words of letters and digits with '/': acme/audit"))
  const owner = builtIns.find(({ paths }) => paths.includes(path))
  if (owner !== undefined)
    found.push(finding(`the command '${path}' is one of the built-in '${owner.name}'`, "put it below a word of the plugin's own"))
  if (programs.includes(path))
    found.push(finding(`the command line has a command '${path.replaceAll('/', ' ')}' itself`, "put it below a word of the plugin's own"))
  return found
}

function commandFindings({ path, help, args, options, body, reply }: Command): Finding[] {
  const found: Finding[] = []
  const where = `command '${path}'`
  if (!isText(help)) found.push(finding(`${where} has no help`, "say what it does in one sentence ('help')"))
  for (const [kind, parameters] of [
    ['argument', args],
    ['option', options]
  ] as const) {
    for (const [name, { spec }] of Object.entries(parameters as Parameters))
      if (!isText(spec.help)) found.push(finding(`${where}: the ${kind} '${name}' has no help`, `p.…('what it is')`))
  }
  if (body !== undefined && !isText(body.help))
    found.push(finding(`${where}: its files have no help`, `files('${body.name}', 'what they are')`))
  found.push(...optionFindings(where, options))
  for (const [name, schema] of schemasOf(reply)) found.push(...schemaFindings(`${where}: ${name}`, schema))
  return found
}

function schemasOf(reply: Command['reply']) {
  if (reply.kind === 'either')
    return [
      ['its value', reply.value],
      ['its items', reply.items]
    ] as const
  return 'schema' in reply ? ([['its reply', reply.schema]] as const) : []
}

function optionFindings(where: string, options: Parameters): Finding[] {
  const found: Finding[] = []
  const owners = new Map<string, string>()
  for (const [declared, { spec }] of Object.entries<{ spec: Parameters[string]['spec'] }>(globalOptions))
    for (const name of namesOf(declared, spec)) owners.set(name, 'of every command')
  for (const [declared, { spec }] of Object.entries(options)) {
    for (const name of namesOf(declared, spec)) {
      const owner = owners.get(name)
      if (!OPTION.test(name)) found.push(finding(`${where}: '${name}' is no name of an option`, "use letters, digits, '-' and '_'"))
      else if (owner === 'of every command')
        found.push(finding(`${where}: the option '${name}' is one that every command has`, 'choose another name'))
      else if (owner !== undefined)
        found.push(finding(`${where}: the options '${owner}' and '${declared}' are both called '${name}' on the wire`, 'rename one'))
      else owners.set(name, declared)
    }
  }
  return found
}

function needFindings(plugin: Plugin, { services }: Surroundings): Finding[] {
  const provided = new Set([...plugin.provides, ...plugin.internal].map(({ token }: AnyProvision) => tokenName(token)))
  const users = new Map<string, string[]>()
  const wrapped = new Set<string>()
  const note = (user: string, needs: Iterable<Need>) => {
    for (const need of needs) {
      const name = tokenName(tokenOf(need))
      const inside = innerName(tokenOf(need))
      if (isOptional(need) || services.has(inside ?? name)) continue
      if (inside !== undefined) wrapped.add(inside)
      else if (!provided.has(name)) users.set(name, [...(users.get(name) ?? []), user])
    }
  }
  note('the plugin', plugin.requires)
  for (const { path, needs } of plugin.commands) note(`'${path}'`, Object.values(needs))
  for (const hook of plugin.around) if (typeof hook === 'object') note('a hook', Object.values(hook.needs))
  for (const { path, needs } of plugin.routes) note(`the route ${path}`, Object.values(needs))
  for (const { name, needs } of plugin.listeners) note(`the listener '${name}'`, Object.values(needs))
  const told = 'make the need optional(…), or tell users in the README which plugin does'
  return [
    ...[...wrapped].map(service => finding(`nobody else provides the service '${service}', which the plugin wraps`, told)),
    ...[...users].map(([service, by]) =>
      finding(`nobody provides the service '${service}', which ${by.join(', ')} ${by.length > 1 ? 'need' : 'needs'}`, `provide it, ${told}`)
    )
  ]
}

function routeFindings({ routes, listeners }: Plugin): Finding[] {
  const found: Finding[] = []
  const known = new Set(['rpc', 'gateway', ...listeners.map(({ name }) => name)])
  const seen = new Set<string>()
  for (const route of routes) {
    const { listener, help } = route
    const where = `route ${routeName(route)}`
    const problem = routeProblem(route)
    if (problem !== undefined) found.push(finding(`${where} cannot be served: ${problem}`, 'declare another path or host'))
    else if (seen.has(`${listener} ${routeKey(route)}`)) found.push(finding(`${where} is declared twice`, 'leave one out'))
    else seen.add(`${listener} ${routeKey(route)}`)
    if (!isText(help)) found.push(finding(`${where} has no help`, 'say what it serves in one sentence'))
    if (!known.has(listener))
      found.push(finding(`${where} is for the listener '${listener}', which nobody opens`, "declare it in 'listeners', or use 'rpc'"))
  }
  for (const { name } of listeners)
    if (name === 'rpc' || name === 'gateway') found.push(finding(`the listener '${name}' is the host's own`, 'name it after the plugin'))
  return found
}

const isText = (text: unknown) => typeof text === 'string' && text.trim() !== ''
