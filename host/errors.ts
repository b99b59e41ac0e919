import { defineErrors } from '../core/index.ts'

const list = (names: readonly string[]) => names.map(n => `'${n}'`).join(' and ')

/** What a person who composes a host is told. Each names everyone concerned and, where a setting decides, that setting. */
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
  E_COMMAND_TWICE: {
    message: (path: string, plugins: readonly string[]) =>
      `the plugins ${list(plugins)} both declare the command '${path}': say which one with "commands": { "${path}": { "from": "${plugins[0]}" } }`
  },
  E_COMMAND_FROM: {
    message: (path: string, from: string, plugins: readonly string[], where: string) =>
      `${where}: command '${path}' cannot come from '${from}', which does not declare it${plugins.length > 0 ? ` (${list(plugins)} does)` : ''}`
  },
  E_COMMAND_UNKNOWN: { message: (pattern: string, where: string, hint: string) => `${where}: no command matches '${pattern}'${hint}` },
  E_SERVICE_TWICE: {
    message: (service: string, plugins: readonly string[]) =>
      `the plugins ${list(plugins)} both provide the service '${service}': say which one with "services": { "${service}": "${plugins[0]}" }, or switch one off under 'plugins'`
  },
  E_SERVICE_FROM: {
    message: (service: string, from: string, plugins: readonly string[], where: string) =>
      `${where}: service '${service}' cannot come from '${from}', which does not provide it${plugins.length > 0 ? ` (${list(plugins)} does)` : ''}`
  },
  E_SERVICE_MISSING: {
    message: (service: string, users: readonly string[], remedy: string) =>
      `the service '${service}', which ${list(users)} ${users.length > 1 ? 'need' : 'needs'}, is provided by nobody${remedy}`
  },
  E_SERVICE_CYCLE: {
    message: (chain: readonly string[]) =>
      `these plugins need each other in a circle: ${chain.join(' → ')}: break it by switching one off, or make one need optional`
  },
  E_SERVICE_LOOP: {
    message: (plugin: string, chain: readonly string[]) =>
      `services of plugin '${plugin}' need each other in a circle: ${chain.join(' → ')}`
  },
  E_LISTENER_TWICE: {
    message: (listener: string, plugins: readonly string[]) =>
      `the plugins ${list(plugins)} both open the listener '${listener}': switch one off under 'plugins'`
  },
  E_LISTENER: {
    message: (plugin: string, listener: string, reason: string) => `plugin '${plugin}': its listener '${listener}' does not open: ${reason}`
  },
  E_ROUTE_FAILED: {
    message: (plugin: string, route: string, reason: string) => `plugin '${plugin}': its route ${route} failed: ${reason}`
  },
  E_HOOK_RESULT: {
    wire: 'implementation',
    message: (path: string, plugin: string) =>
      `a hook of plugin '${plugin}' around '${path}' answers no result: it must return what next() resolves to, or one of its own`
  },
  E_SERVICE_UNDECLARED: {
    message: (plugin: string, service: string) => `plugin '${plugin}' asks for the service '${service}', which its 'requires' does not name`
  },
  E_HOST_STATE: { message: (verb: string, state: string) => `this host cannot ${verb}: it is ${state}` },
  E_NO_COMMAND: { message: (path: string, why: string) => `there is no command '${path}' on this host${why}` },
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
