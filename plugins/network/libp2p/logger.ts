import { format } from 'node:util'
import type { ComponentLogger, Logger as PartLogger } from '@libp2p/interface'
import { type Logger, messageOf } from '../../../core/index.ts'

/**
 * The log of libp2p's parts, in that of the plugin: failures at the level `trace`, since most of them are peers that come and go. Single steps
 * are not told: there is one for every message.
 */
export function partLogger(log: Logger): ComponentLogger {
  const part = (name: string): PartLogger => {
    const tell = () => {}
    const logger = Object.assign(tell, {
      enabled: false,
      trace: tell,
      error: (text: unknown, ...about: unknown[]) => log.trace({ part: name }, format(plain(text), ...about.map(shown))),
      newScope: (scope: string) => part(`${name}:${scope}`)
    })
    return logger as PartLogger
  }
  return { forComponent: part }
}

/** libp2p's own letters for errors, multiaddrs, peers, CIDs and octets, as Node.js knows them. */
function plain(text: unknown): string {
  return String(text).replace(/%[abcekpt]/g, '%s')
}

function shown(value: unknown): unknown {
  return value instanceof Error ? messageOf(value) : value
}
