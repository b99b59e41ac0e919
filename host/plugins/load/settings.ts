import { shown } from '../../../config/host/check.ts'
import { didYouMean } from '../../../config/host/suggest.ts'
import type { Plugin } from '../../../core/index.ts'
import type { HostConfiguration } from '../../configuration.ts'
import { hostErrors } from '../../errors.ts'

/** A plugin's own block of the configuration, checked against its schema, defaults filled in. @throws E_PLUGIN_NO_SETTINGS, E_PLUGIN_SETTINGS */
export function checkSettings(plugin: Plugin, keys: readonly string[], configuration: HostConfiguration, where: string): unknown {
  const key = keys.find(k => configuration.plugins?.[k] !== undefined) ?? plugin.name
  const given = configuration.plugins?.[key]
  const block = typeof given === 'object' ? given : undefined
  if (plugin.settings === undefined) {
    if (block !== undefined && Object.keys(block).length > 0) throw hostErrors.E_PLUGIN_NO_SETTINGS(plugin.name, `${where}: plugins.${key}`)
    return undefined
  }
  const result = plugin.settings.safeParse(block ?? {})
  if (result.success) return result.data
  const issues = result.error.issues.map(issue => {
    const path = issue.path.map(String).join('.')
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map(k => didYouMean(k, settingNames(plugin))).join('') : ''
    // what other kinds were given is not shown, as it may be a secret
    if (issue.code === 'custom' && issue.params !== undefined && 'given' in issue.params) {
      return `${path} is ${shown(issue.params['given'])}; allowed: ${issue.message}`
    }
    return `${path === '' ? '' : `${path}: `}${issue.message}${names}`
  })
  throw hostErrors.E_PLUGIN_SETTINGS(plugin.name, `${where}: plugins.${key}`, issues.join('; '))
}

function settingNames(plugin: Plugin): string[] {
  const shape = (plugin.settings as { shape?: object } | undefined)?.shape
  return shape === undefined ? [] : Object.keys(shape)
}
