import { ERROR_DETAIL } from '../../core/contract/http.ts'
import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28 and 0.42, core/commands/config.go and bootstrap.go; Go's encoding/json, scanner.go. */
export const configurationErrors = defineErrors({
  E_CONFIG_PRIVATE_KEY: { message: () => 'cannot show or change private key through API' },
  E_CONFIG_PEER_ID: {
    message: (peerId: string, keyPeerId: string) =>
      `Identity.PeerID cannot be ${goQuote(peerId)}: the private key is that of ${keyPeerId}, and a node with another's would not start`
  },
  E_CONFIG_SERVICE_KEY: { message: () => 'cannot show or change pinning services credentials' },
  E_CONFIG_SECRET: { message: (key: string) => `cannot show ${key} through API: it is a secret` },
  E_CONFIG_GET: { message: (why: string) => `failed to get config value: ${why}` },
  E_CONFIG_SET: { message: (why: string) => `failed to set config value: ${why} (maybe use --json?)` },
  E_CONFIG_JSON: { message: (why: string) => `failed to unmarshal json. ${why}` },
  E_CONFIG_LARGE: {
    wire: 'client',
    message: (most: number) => `the node configuration would take more than ${most} bytes (plugins.configuration.maxBytes)`
  },
  E_CONFIG_FILE: { message: (why: string) => why },
  E_CONFIG_DECODE: {
    message: (_detail: string) => 'failed to decode file as config',
    http: (detail: string) => ({ headers: { [ERROR_DETAIL]: detail } })
  },
  E_CONFIG_REPLACE_KEY: { message: () => 'setting private key with API is not supported' },
  E_CONFIG_REPLACE_SERVICES: { message: () => "cannot add or remove remote pinning services with 'config replace'" },
  E_CONFIG_REPLACE_SERVICE_API: { message: () => 'cannot change remote pinning services api info with `config replace`' },
  E_JSON: { message: (why: string) => why },
  E_BOOTSTRAP_AUTO: {
    message: () =>
      'cannot add default bootstrap peers: AutoConf is disabled (AutoConf.Enabled=false). Enable AutoConf by setting AutoConf.Enabled=true in your config, or add specific peer addresses instead'
  },
  E_CONFIG_EXPAND: { message: () => '--expand-auto can only be used for reading config values, not for setting them' },
  E_BOOTSTRAP_NONE: { message: () => 'no bootstrap peers to add' },
  E_BOOTSTRAP_NO_PEER: { message: (address: string) => `invalid bootstrap address: ${address}` },
  E_BOOTSTRAP_NO_TRANSPORT: { message: (address: string) => `bootstrap address without a transport: ${address}` }
})
