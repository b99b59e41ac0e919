import { nodeConfigErrors } from '../../config/node/errors.ts'
import { nodeConfigModel } from '../../config/node/index.ts'
import { type Json, messageOf, type NodeConfig, type NodeConfigModel, type RefusedValue } from '../../core/index.ts'

type Api = { readonly [key: string]: Json } | undefined

/** The model of the node configuration, which also knows with what the RPC does not open. @param address - of the host configuration, in place of the node's */
export const modelWithRpc = (address: string | undefined): NodeConfigModel => ({
  ...nodeConfigModel,
  stopping: async config => [...(await nodeConfigModel.stopping(config)), ...(await refusedByRpc(config, address))]
})

/** The values with which {@link openRpc} refuses to open, as far as that is known without a look-up. */
async function refusedByRpc(config: NodeConfig, address: string | undefined): Promise<RefusedValue[]> {
  // only who changes the configuration needs these
  const [{ rpcErrors }, { isLoopback }, { grantEntries }] = await Promise.all([
    import('../http/listener-errors.ts'),
    import('../http/listen/addresses.ts'),
    import('../http/access/grants.ts')
  ])
  const known = nodeConfigModel.effective(config, () => {})
  const secrets = (known['API'] as Api)?.['Authorizations']
  const found: RefusedValue[] = []
  try {
    grantEntries(secrets)
  } catch (error) {
    // its value is a secret, or beside one
    found.push(
      refusal(
        'API.Authorizations',
        messageOf(error),
        messageOf(error),
        'a name, and of it AuthSecret, AllowedPaths, Access, SecretHash, Commands, Created, Expires'
      )
    )
  }
  if (address !== undefined) return found
  if (typeof secrets === 'object' && secrets !== null && Object.keys(secrets).length > 0) return found
  for (const configured of [(known['Addresses'] as Api)?.['API']].flat()) {
    const [, host] = /^\/ip[46]\/([^/]+)\//.exec(String(configured)) ?? []
    if (host === undefined || isLoopback(host)) continue
    const { message } = rpcErrors.E_RPC_EXPOSED(String(configured))
    found.push(refusal('Addresses.API', configured!, `Addresses.API: ${message}`, 'a loopback address, or any with API.Authorizations'))
  }
  return found
}

function refusal(key: string, value: Json, why: string, allowed: string): RefusedValue {
  const text = `a node does not start: ${why}; allowed: ${allowed}`
  return Object.assign(nodeConfigErrors.E_CONFIG_TYPE(text), { key, value, allowed })
}
