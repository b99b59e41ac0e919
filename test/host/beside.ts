import type { Plugin } from '../../core/index.ts'
import type { NodeHost } from '../../host/host.ts'
import type { HostOptions } from '../../host/options.ts'
import { named } from '../helpers/plugin.ts'
import { answer, bare } from './parts.ts'

/** A host beside a plugin that works, and what it logs. */
export async function beside(broken: readonly Plugin[], configuration: HostOptions['configuration'] = {}) {
  const plugins = [named('sound', { commands: [answer('sound', 'well')] }), ...broken]
  const host = await bare({ plugins, configuration, logLevel: 'warn', log: { targets: [] } })
  const lines = messages(host.logs.tail())
  /** Stops the host. */
  const logged = async () => {
    await host.stop()
    return lines
  }
  return { host, logged }
}

/** The messages of log lines. */
export async function messages(tail: AsyncIterable<string>): Promise<string[]> {
  let text = ''
  for await (const lines of tail) text += lines
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { msg: string }).msg)
}

/** The answer of the plugin that works. */
export const sound = async (host: NodeHost) => ((await host.call('sound')) as { Text: string }).Text
