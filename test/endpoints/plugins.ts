import { readdir } from 'node:fs/promises'
import type { Plugin } from '../../core/index.ts'

/** The built plugins, each in a folder of its own. */
const PLUGINS = new URL('../../plugins/', import.meta.url)

/** The plugins that ship. */
export async function shippedPlugins(): Promise<Plugin[]> {
  const folders = (await readdir(PLUGINS, { withFileTypes: true })).filter(entry => entry.isDirectory()).map(({ name }) => name)
  return Promise.all(
    folders.sort().map(async folder => {
      const { default: plugin } = (await import(new URL(`${folder}/index.js`, PLUGINS).href)) as { default: Plugin }
      return plugin
    })
  )
}
