import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { encodeUtf8 } from '../../../core/go/index.ts'
import type { BlockOptions } from '../../../core/index.ts'
import { tryPeerId } from '../../../core/keys/index.ts'
import type { ContentNames } from '../names.ts'
import { parsePath } from '../request/path.ts'
import type { Target } from '../request/target.ts'
import { type HostName, linkBase, schemeOf } from './host.ts'
import { type HostRule, type KnownHosts, servesPath } from './known.ts'
import { inlined, isHostName, isLabel, labelOfCid, labelOfKey, tryCid, tryKey, uninlined } from './label.ts'

/** Where the host and the path of a request lead together. */
export type Lead =
  /** The same content has another address. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** Nothing is served there. */
  | { readonly kind: 'nothing' }
  /** The path says what is asked for. */
  | { readonly kind: 'paths'; readonly rule: HostRule | undefined }
  /** The host says it: the root has an origin of its own, and the path is one in it. */
  | {
      readonly kind: 'site'
      /** `/ipfs/CID` or `/ipns/NAME` */
      readonly root: string
      readonly rule: HostRule | undefined
      readonly linkBase: string
      readonly dnsLink: string | undefined
    }

export interface LeadParts {
  readonly hosts: KnownHosts
  readonly names: ContentNames
  readonly noDnsLink: boolean
  readonly request: IncomingMessage
  readonly options: BlockOptions
}

const NOTHING: Lead = { kind: 'nothing' }
const PATHS: Lead = { kind: 'paths', rule: undefined }
const SUBDOMAINS = new Set(['ipfs', 'ipns', 'p2p', 'ipld'])

/** Looks where a request leads (Kubo 0.28, boxo gateway/hostname.go). @throws E_GATEWAY_LABEL, E_GATEWAY_INLINED, E_GATEWAY_PATH */
export function leadOf(host: HostName, target: Target, parts: LeadParts): Lead | Promise<Lead> {
  const rule = parts.hosts.find(host)
  if (rule !== undefined) return leadOnKnown(host, rule, target, parts)
  // an address of this machine is no name, and most requests of programs name one
  return isIP(host.name) === 0 ? leadOnUnknown(host, target, parts) : PATHS
}

async function leadOnUnknown(host: HostName, target: Target, parts: LeadParts): Promise<Lead> {
  const subdomain = subdomainOf(host, parts.hosts)
  if (subdomain !== undefined) return leadOnSubdomain(subdomain, target, parts)
  return !parts.noDnsLink && (await isDnsLink(host.name, parts)) ? siteOfName(host, undefined) : PATHS
}

async function leadOnKnown(host: HostName, rule: HostRule, target: Target, parts: LeadParts): Promise<Lead> {
  const { path } = target
  // `/ipfs` is sent on to `/ipfs/`
  if (!servesPath(rule, path)) {
    return !rule.noDnsLink && (await isDnsLink(host.name, parts)) ? siteOfName(host, rule) : NOTHING
  }
  const to = rule.useSubdomains ? await subdomainUrl(host, rule, target, parts) : undefined
  return to === undefined ? { kind: 'paths', rule } : { kind: 'redirect', to }
}

/** The URL of a path's content on a host of its own; undefined where its root can have none. */
async function subdomainUrl(host: HostName, rule: HostRule, { path, rawQuery }: Target, parts: LeadParts): Promise<string | undefined> {
  const [, namespace = '', root = '', ...segments] = path.split('/')
  if (root === '' || (namespace !== 'ipfs' && namespace !== 'net' && namespace !== 'ipns')) return undefined
  const label = namespace === 'ipns' ? await labelOfName(root, rule, parts) : labelOfRoot(root)
  if (label === undefined) return undefined
  const isNet = namespace === 'net'
  return urlOn(host, `${label}.${isNet ? 'ipfs' : namespace}`, `/${segments.join('/')}`, rawQuery, parts.request)
}

function urlOn({ name, port }: HostName, labels: string, path: string, rawQuery: string, request: IncomingMessage): string {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  return `${schemeOf(request)}://${labels}.${name.toLowerCase()}${port}${goEscapedPath(path)}${query}`
}

function labelOfRoot(root: string): string | undefined {
  const cid = tryCid(root)
  return cid && labelOfCid(cid)
}

async function labelOfName(name: string, { inlineDnsLink }: HostRule, parts: LeadParts): Promise<string | undefined> {
  const key = tryKey(name)
  if (key !== undefined) return labelOfKey(key)
  if (!isHostName(name)) return undefined
  const isSecure = schemeOf(parts.request) === 'https'
  const meant = await meantName(name, parts)
  if ((isSecure || inlineDnsLink) && meant.includes('.') && (await isDnsLink(meant, parts))) return inlined(meant)
  return meant
}

interface Subdomain {
  readonly id: string
  readonly namespace: string
  readonly rule: HostRule
  /** The gateway that it is a name of. */
  readonly gateway: HostName
}

/** The name and namespace in a host such as `CID.ipfs.localhost`; the rightmost namespace in front of a known gateway counts. */
function subdomainOf(host: HostName, hosts: KnownHosts): Subdomain | undefined {
  const labels = host.name.split('.')
  for (let i = labels.length - 1; i >= 2; i--) {
    const namespace = labels[i - 1]!.toLowerCase()
    if (!SUBDOMAINS.has(namespace)) continue
    const gateway = { name: labels.slice(i).join('.'), port: host.port }
    const rule = hosts.find(gateway)
    if (rule !== undefined) return { id: labels.slice(0, i - 1).join('.'), namespace, rule, gateway }
  }
  return undefined
}

async function leadOnSubdomain({ id, namespace, rule, gateway }: Subdomain, target: Target, parts: LeadParts): Promise<Lead> {
  if (!rule.useSubdomains || !servesPath(rule, `/${namespace}`)) return NOTHING
  const moved = (label: string): Lead => ({
    kind: 'redirect',
    to: urlOn(gateway, `${label}.${namespace}`, target.path, target.rawQuery, parts.request)
  })
  if (namespace === 'ipfs') {
    const { cid } = parsePath(`/ipfs/${id}${target.path === '/' ? '/' : ''}`)
    return isLabel(id) ? siteAt(`/ipfs/${id}`, rule, gateway) : moved(labelOfCid(cid!))
  }
  if (namespace !== 'ipns') return NOTHING
  const key = tryKey(id)
  if (key !== undefined) {
    const label = labelOfKey(key)
    return id === label ? siteAt(`/ipns/${id}`, rule, gateway) : moved(label)
  }
  const name = await meantName(id, parts)
  return siteAt(`/ipns/${name}`, rule, gateway)
}

function siteAt(root: string, rule: HostRule, gateway: HostName) {
  return { kind: 'site', root, rule, linkBase: linkBase(gateway), dnsLink: undefined } as const
}

/** A host that is a site itself. */
function siteOfName({ name }: HostName, rule: HostRule | undefined): Lead {
  const dnsLink = name.toLowerCase()
  return { kind: 'site', root: `/ipns/${dnsLink}`, rule, linkBase: '', dnsLink }
}

/** The name that stands behind `/ipns/`, or before `.ipns.`: one with dashes may be a DNSLink's that was made one label. */
async function meantName(name: string, parts: LeadParts): Promise<string> {
  if (name.includes('.') || !name.includes('-')) return name
  const plain = uninlined(name)
  if (await isDnsLink(plain, parts)) return plain
  return (await isDnsLink(name, parts)) ? name : plain
}

async function isDnsLink(name: string, { names, options }: LeadParts): Promise<boolean> {
  if (!isHostName(name) || isIP(name) !== 0 || tryPeerId(name) !== undefined) return false
  return names.hasDnsLink(name.toLowerCase(), options)
}

/** A decoded path as Go's `url.URL` writes it. */
function goEscapedPath(path: string): string {
  return encodeUtf8(path)
    .toString('latin1')
    .replace(/[^\w\-.~$&+,/:;=@]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
