import { defineErrors, token } from '../core/index.ts'
import { innerName } from '../core/token.ts'

const quoted = (names: readonly string[]) => names.map(n => `'${n}'`)

const list = (names: readonly string[]) => [quoted(names.slice(0, -1)).join(', '), ...quoted(names.slice(-1))].filter(Boolean).join(' and ')

const both = ({ length }: readonly string[]) => (length > 2 ? 'all' : 'both')

/** The text that one plugin says a thing twice; undefined where several plugins say it. */
const repeated = (plugins: readonly string[], verb: string, what: string) =>
  new Set(plugins).size === 1 ? `the plugin '${plugins[0]}' ${verb} ${what} twice: leave one out` : undefined

/** The plugins that do what was asked for, in brackets; nothing where none does. */
const those = (names: readonly string[]) => (names.length === 0 ? '' : ` (${list(names)} ${names.length === 1 ? 'does' : 'do'})`)

/** Why something cannot come from a plugin, and from which it can: `why` says what became of a plugin that does not run. */
const notFrom = (from: string, verb: string, why: string | undefined, names: readonly string[]) => {
  if (why === undefined) return `cannot come from '${from}', which does not ${verb} it${those(names)}`
  const others = names.length === 0 ? '' : `; ${list(names)} ${names.length === 1 ? `${verb}s` : verb} it`
  return `cannot come from '${from}': ${why}${others}`
}

/** Errors for a person who composes a host. Each names everyone concerned and, where a setting decides, that setting. */
export const hostErrors = defineErrors({
  E_METRIC_NAME: {
    message: (plugin: string, name: string) =>
      `the plugin '${plugin}' asks for a metric or label '${name}': small letters, digits and underscores only, a letter first, and no label 'le'`
  },
  E_METRIC_TWICE: {
    message: (plugin: string, name: string, owner: string) =>
      plugin === owner
        ? `the plugin '${plugin}' asks for the metric '${name}' a second time, as something else`
        : `the plugin '${plugin}' asks for the metric '${name}', which the plugin '${owner}' has`
  },
  E_PLUGIN_UNKNOWN: {
    message: (name: string, where: string, hint: string) =>
      `${where}: there is no plugin '${name}'${hint}: not a built-in, and no file or package of that name was found`
  },
  E_FAILURE_UNKNOWN: {
    message: (name: string, where: string, hint: string) =>
      `${where}: onFailure.${name}: there is no plugin '${name}'${hint}; 'default' is for all that are not named`
  },
  E_PLUGIN_API: {
    message: (name: string, from: string, range: string, have: string) =>
      `plugin '${name}' (${from}) is written for api '${range}', but this host offers ${have}: install a version of the plugin for it, or switch it off under 'plugins'`
  },
  E_PLUGIN_API_MISSING: {
    message: (name: string, from: string, file: string) =>
      `plugin '${name}' (${from}) does not say which api it is written for: ${file} needs ${file.endsWith('package.json') ? '"holdfast": { "api": "^1" }' : "api: '^1' in its plugin({ … })"}`
  },
  E_PLUGIN_IMPORT: {
    message: (name: string, from: string, reason: string) => `plugin '${name}' (${from}) failed while it was imported: ${reason}`
  },
  E_PLUGIN_FOREIGN: { message: (name: string, why: string) => `plugin '${name}' is not loaded: ${why}` },
  E_PLUGIN_EXPORT: {
    message: (name: string, from: string) => `plugin '${name}' (${from}) has no default export made by plugin({ name, api, about, … })`
  },
  E_PLUGIN_NAME_TAKEN: {
    message: (name: string, one: string, other: string) =>
      `two plugins are called '${name}': ${one} and ${other}: switch one off under 'plugins'`
  },
  E_PLUGIN_SETTINGS: { message: (name: string, where: string, issues: string) => `${where}: settings of plugin '${name}': ${issues}` },
  E_PLUGIN_NO_SETTINGS: { message: (name: string, where: string) => `${where}: plugin '${name}' takes no settings: write 'on' or 'off'` },
  E_PLUGIN_FAILED: { message: (name: string, from: string, reason: string) => `plugin '${name}' (${from}) failed to start: ${reason}` },
  E_PLUGIN_SLOW: {
    message: (name: string, what: string, seconds: number) => `plugin '${name}': ${what} took longer than ${seconds} s without progress`
  },
  E_HOOK_ONLY: { message: (path: string, reason: string) => `the 'only' of a hook threw for the command '${path}': ${reason}` },
  E_COMMAND_TWICE: {
    message: (path: string, plugins: readonly string[]) =>
      repeated(plugins, 'declares', `the command '${path}'`) ??
      `the plugins ${list(plugins)} ${both(plugins)} declare the command '${path}': say which one with "commands": { "${path}": { "from": "${plugins[0]}" } }`
  },
  E_COMMAND_FROM: {
    message: (path: string, from: string, why: string | undefined, plugins: readonly string[], where: string) =>
      `${where}: command '${path}' ${notFrom(from, 'declare', why, plugins)}`
  },
  E_COMMAND_UNKNOWN: {
    message: (pattern: string, where: string, hint: string, failed: readonly string[]) =>
      `${where}: no command matches '${pattern}'${hint}${failed.length === 0 ? '' : `, unless ${list(failed)}, which failed, ${failed.length === 1 ? 'declares' : 'declare'} it`}`
  },
  E_SERVICE_TWICE: {
    message: (service: string, plugins: readonly string[], wrapped: string) =>
      repeated(plugins, 'provides', `the service '${service}'`) ??
      `the plugins ${list(plugins)} ${both(plugins)} provide the service '${service}': say which one with "services": { "${service}": ${wrapped === '' ? `"${plugins[0]}"` : `[${wrapped}]`} }, or switch one off under 'plugins'`
  },
  E_SERVICE_LAYOUT: {
    message: (plugin: string, service: string) =>
      `plugin '${plugin}': 'keeps' of service '${service}' gives a layout that is no JSON object: { layout: { type: '${plugin}' } } would be one`
  },
  E_SERVICE_REPEATED: {
    message: (service: string, plugin: string, where: string) => `${where}: services.${service} names '${plugin}' twice`
  },
  E_SERVICE_WRAPS: {
    message: (service: string, plugin: string, inside: string, where: string) =>
      `${where}: services.${service}: the plugin '${plugin}' wraps no '${service}', so '${inside}' cannot stand inside of it: it can only be the last`
  },
  E_SERVICE_INNER: {
    message: (service: string, plugin: string, store: string) =>
      `the plugin '${plugin}' wraps the service '${service}', and nothing stands inside of it: write "services": { "${service}": ["${plugin}", "${store}"] }`
  },
  E_SERVICE_FROM: {
    message: (service: string, from: string, why: string | undefined, plugins: readonly string[], where: string) =>
      `${where}: service '${service}' ${notFrom(from, 'provide', why, plugins)}`
  },
  E_SERVICE_UNKNOWN: {
    message: (service: string, where: string, hint: string) =>
      `${where}: services.${service}: no plugin that is on provides '${service}'${hint}`
  },
  E_SERVICE_MISSING: {
    message: (service: string, users: readonly string[], remedy: string) => {
      const inside = innerName(token(service))
      const verb = inside === undefined ? 'need' : 'wrap'
      return `the service '${inside ?? service}', which ${list(users)} ${users.length > 1 ? verb : `${verb}s`}, is provided by nobody${remedy}`
    }
  },
  E_SERVICE_CYCLE: {
    message: (chain: readonly string[]) =>
      `these plugins need each other in a circle: ${chain.join(' → ')}: break it by switching one off, or make one need optional`
  },
  E_SERVICE_LOOP: {
    message: (plugin: string, chain: readonly string[]) =>
      `services of plugin '${plugin}' need each other in a circle: ${chain.join(' → ')}: have one of them get what it needs of the other later`
  },
  E_LISTENER_TWICE: {
    message: (listener: string, plugins: readonly string[]) =>
      repeated(plugins, 'opens', `the listener '${listener}'`) ??
      `the plugins ${list(plugins)} ${both(plugins)} open the listener '${listener}': switch one off under 'plugins'`
  },
  E_LISTENER: {
    message: (plugin: string, listener: string, reason: string) => `plugin '${plugin}': its listener '${listener}' does not open: ${reason}`
  },
  E_LISTENER_ADDRESS: { message: (at: string) => `'${at}' is no IP address with a port from 0 to 65535` },
  E_LISTENER_EXPOSED: {
    message: (address: string, route: string, plugin: string) =>
      `others reach ${address}, and no caller needs a secret for ${route} of plugin '${plugin}'. Either set API.Authorizations in the node configuration, or listen on a loopback address; a listener that is for everybody says so with allowedHosts: ['*'], allowedOrigins: ['*']`
  },
  E_ROUTE_HOOK: { message: () => 'a hook around it neither called next nor threw what to answer' },
  E_ROUTE_DECLARED: {
    message: (plugin: string, route: string, why: string) => `plugin '${plugin}': its route ${route} cannot be served: ${why}`
  },
  E_ROUTE_REPEATED: {
    message: (plugin: string, route: string, listener: string) =>
      `the plugin '${plugin}' declares the route ${route} on the listener '${listener}' twice`
  },
  E_ROUTE_TWICE: {
    message: (route: string, listener: string, plugins: readonly string[]) =>
      `the plugins ${list(plugins)} ${both(plugins)} declare the route ${route} on the listener '${listener}': switch one off under 'plugins'`
  },
  E_ROUTE_FAILED: {
    message: (plugin: string, route: string, reason: string) => `plugin '${plugin}': its route ${route} failed: ${reason}`
  },
  E_HOOK_NEXT: {
    wire: 'implementation',
    message: (path: string, plugin: string) => `a hook of plugin '${plugin}' around ${path} called next() twice: what it leads to runs once`
  },
  E_HOOK_RESULT: {
    wire: 'implementation',
    message: (path: string, plugin: string) =>
      `a hook of plugin '${plugin}' around ${path} answers no result: it must return what next() resolves to, or one of its own`
  },
  E_HTTP_WORDS: {
    wire: 'implementation',
    message: (what: string) => `an answer says in HTTP's own words what cannot be sent, and is left out: ${what}`
  },
  E_HOST_STATE: { message: (verb: string, state: string) => `this host cannot ${verb}: it is ${state}` },
  E_NO_COMMAND: { message: (path: string, why: string) => `there is no command '${path}' on this host${why}` },
  E_NO_DAEMON: { wire: 'client', message: () => 'daemon not running' },
  E_CALL_ARGUMENT: { wire: 'client', message: (path: string, name: string) => `${path}: argument "${name}" is required` },
  E_CALL_OPTION: { wire: 'client', message: (path: string, name: string, hint: string) => `${path}: there is no option '${name}'${hint}` },
  E_CALL_BODY: { wire: 'client', message: (path: string, name: string) => `${path}: file argument '${name}' is required` },
  E_REPLY_SHAPE: {
    wire: 'implementation',
    message: (path: string, plugin: string, issues: string) =>
      `command '${path}' of plugin '${plugin}' answers against its own schema: ${issues}`
  },
  E_REPLY_KIND: {
    wire: 'implementation',
    message: (path: string, plugin: string, kind: string) =>
      `command '${path}' of plugin '${plugin}' declares the reply '${kind}' but returned something else`
  },
  E_HOST_STOPPING: { message: () => 'the node is shutting down' }
})
