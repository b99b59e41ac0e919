import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/name and core/coreapi/name.go; boxo 0.19, namesys. */
export const nameErrors = defineErrors({
  E_PUBLISH_RESERVED: { message: (why: string) => why },
  E_PUBLISH_OFFLINE: { message: () => "can't publish while offline: pass `--allow-offline` to override" },
  E_PUBLISH_OFFLINE_NEWER: {
    message: () =>
      "can't publish while offline: pass `--allow-offline` to override or `--allow-delegated` if Ipns.DelegatedPublishers are set up"
  },
  E_PUBLISH_BOTH: { message: () => 'cannot use both --allow-offline and --allow-delegated flags' },
  E_PUBLISH_DELEGATED: {
    message: () => 'no delegated publishers configured: add Ipns.DelegatedPublishers or use --allow-offline for local-only publishing'
  },
  E_PUBLISHER_URL: { message: (url: string) => `config setting Ipns.DelegatedPublishers: '${url}' is no URL of HTTP` },
  E_PUBLISHER_STATUS: { message: (status: number) => `it answers ${status}` },
  E_PUBLISH_KEY: {
    message: (key: string, name: string) => `the key ${goQuote(key)} is not that of ${name} any more; nothing was published, try again`
  },
  E_PUBLISH_SEQUENCE: { message: () => 'sequence number must be greater than the current record sequence' },
  E_PUBLISH_SEQUENCE_LAST: {
    message: (name: string) =>
      `the record of ${name} has the highest sequence number that there is: none that leads elsewhere can count above it`
  },
  E_RECORD_EMPTY: { message: () => 'record is empty' },
  E_RECORD_LARGE: { message: (most: number) => `record exceeds maximum size of ${most} bytes, use --force to skip size check` },
  E_RECORD_UNREADABLE: { message: (why: string) => `invalid IPNS record: ${why}` },
  E_RECORD_SEQUENCE: {
    message: (present: bigint, given: bigint) =>
      `existing IPNS record has sequence ${present} >= new record sequence ${given}, use 'ipfs name put --force' to skip this check`
  },
  E_NAME_ROUTING_KEY: { message: () => 'invalid key' },
  E_PUBLISH_LIFETIME: { message: (why: string) => `error parsing lifetime option: ${why}` },
  E_PUBLISH_LIFETIME_NONE: { message: (lifetime: string) => `lifetime must be greater than zero, got ${lifetime}` },
  E_PUBLISH_ROUTES: {
    message: (name: string, why: string) => `the record of ${name} is stored on this node, and no route took it to others: ${why}`
  },
  E_NAME_KEY: { message: () => 'no key by the given name was found' },
  E_NAME_KEY_ID: { message: () => 'no key by the given name or PeerID was found' },
  E_NAME_KEY_EMPTY: { message: () => 'key name must be at least one character' },
  E_NAME_UNRESOLVED: { message: () => 'could not resolve name' },
  E_NAME_DEPTH: { message: () => 'could not resolve name (recursion limit exceeded)' },
  E_NAME_NEITHER: { message: (name: string) => `cannot resolve: ${goQuote(`/ipns/${name}`)}` },
  E_NAME_CODEC: {
    message: (fixed: string) => `peer ID represented as CIDv1 require libp2p-key multicodec: retry with /ipns/${fixed}`
  },
  E_NAME_DHT_TIMEOUT: { message: () => 'DHT timeout value must be >= 0' },
  E_NAME_UPLOAD: { message: () => 'expected a file argument' },
  E_NAME_SUBSCRIPTIONS: { wire: 'client', message: () => 'IPNS pubsub subsystem is not enabled' },
  E_NAME_SUBSCRIBED: { wire: 'client', message: (why: string) => why },
  E_DNSLINK: { message: (domain: string, why: string) => `DNSLink lookup for ${goQuote(domain)} failed: ${why}` },
  E_DNS: { message: (why: string) => why },
  E_DNS_DOMAIN: { message: (domain: string) => `config setting DNS.Resolvers: invalid domain ${domain}; must be FQDN` },
  E_DNS_RESOLVER: {
    message: (domain: string, url: string) => `config setting DNS.Resolvers: bad resolver for ${domain}: invalid resolver url: ${url}`
  },
  E_DNS_CACHE: { message: (value: string, why: string) => `config setting DNS.MaxCacheTTL is ${value}: ${why}` },
  E_NAME_FIXED: {
    message: (where: string, name: string, why: string) => `${where}: the name '${name}' cannot lead there: ${why}`
  },
  E_NAME_CACHE: { message: () => 'config setting Ipns.ResolveCacheSize: cannot specify negative resolve cache size' },
  E_NAME_SETTING: { message: (key: string, value: string, why: string) => `config setting Ipns.${key} is ${value}: ${why}` },
  E_NAME_PERIOD: { message: (period: string) => `config setting IPNS.RepublishPeriod is not between 1min and 1day: ${period}` },
  E_NAME_LIFETIME: { message: (lifetime: string) => `config setting IPNS.RecordLifetime is not longer than nothing: ${lifetime}` }
})
