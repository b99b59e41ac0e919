import type { Json } from '../../../core/index.ts'
import { type HostName, isHost } from './host.ts'

/** How content is served under a host name (`Gateway.PublicGateways`). */
export interface HostRule {
  /** Prefixes of paths that are served. */
  readonly paths: readonly string[]
  /** Whether each root has a host of its own. */
  readonly useSubdomains: boolean
  readonly noDnsLink: boolean
  readonly inlineDnsLink: boolean
  /** Whether files and folders are served, and not blocks alone. */
  readonly deserialized: boolean
}

interface Wildcard {
  readonly pattern: string
  readonly rule: HostRule
}

/** The hosts that have rules of their own. Case does not count; `*` stands for a part of one label. */
export class KnownHosts {
  readonly #exact = new Map<string, HostRule>()
  readonly #wildcards: Wildcard[] = []
  /** Entries of the configuration that have no effect, a line each. */
  readonly passedOver: readonly string[]

  /** @param configured - `Gateway.PublicGateways` @param deserialized - where a host says nothing */
  constructor(configured: Json | undefined, deserialized: boolean) {
    const entries = new Map<string, Json>([['localhost', LOCALHOST], ...Object.entries((configured ?? {}) as Record<string, Json>)])
    const passedOver: string[] = []
    for (const [host, spec] of entries) {
      if (spec === null || typeof spec !== 'object') continue
      const name = host.toLowerCase().replace(/\.(:\d{0,5})?$/, '$1')
      if (!isHost(name.replaceAll('*', 'x'))) {
        passedOver.push(`Gateway.PublicGateways: '${host}' is passed over: it is no host name, with a port or without`)
        continue
      }
      const rule = ruleOf(spec as Readonly<Record<string, Json>>, deserialized)
      const odd = rule.paths.filter(path => !path.startsWith('/'))
      passedOver.push(...odd.map(path => `Gateway.PublicGateways.${host}.Paths: '${path}' is passed over: a path begins with /`))
      if (name.includes('*')) this.#wildcards.push({ pattern: name, rule })
      else this.#exact.set(name, rule)
    }
    this.passedOver = passedOver
  }

  /** The rule of a host: with its port, else without, else of a pattern. */
  find({ name, port }: HostName): HostRule | undefined {
    const lower = name.toLowerCase()
    const exact = (port === '' ? undefined : this.#exact.get(lower + port)) ?? this.#exact.get(lower)
    if (exact !== undefined || this.#wildcards.length === 0) return exact
    return this.#wildcards.find(({ pattern }) => matches(pattern, lower) || matches(pattern, lower + port))?.rule
  }
}

const LOCALHOST: Json = { Paths: ['/ipfs', '/ipns', '/p2p'], UseSubdomains: true }

function ruleOf(spec: Readonly<Record<string, Json>>, deserialized: boolean): HostRule {
  const { Paths, UseSubdomains, NoDNSLink, InlineDNSLink, DeserializedResponses } = spec
  const paths = Array.isArray(Paths) ? Paths.filter(path => typeof path === 'string') : []
  return {
    // `/net` is another name of `/ipfs`
    paths: paths.includes('/ipfs') ? [...paths, '/net'] : paths,
    useSubdomains: UseSubdomains === true,
    noDnsLink: NoDNSLink === true,
    inlineDnsLink: InlineDNSLink === true,
    deserialized: typeof DeserializedResponses === 'boolean' ? DeserializedResponses : deserialized
  }
}

/** Whether a path is one of those that a host serves. */
export function servesPath({ paths }: HostRule, path: string): boolean {
  return paths.some(prefix => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`))
}

/** Whether a host fits a pattern, label by label. */
function matches(pattern: string, host: string): boolean {
  const labels = host.split('.')
  const patterns = pattern.split('.')
  return patterns.length === labels.length && patterns.every((label, i) => matchesLabel(label, labels[i]!))
}

/** `*` stands for any letters: each part between two is looked for behind the one before. */
function matchesLabel(pattern: string, label: string): boolean {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return label === start
  if (!label.startsWith(start) || !label.endsWith(end) || label.length < start.length + end.length) return false
  let at = start.length
  for (const part of parts) {
    const found = label.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= label.length - end.length
}
