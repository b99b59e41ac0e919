/**
 * The content gateway: files and folders of the nodes' content over HTTP, for browsers and for clients that check what they get, on a
 * listener of its own.
 *
 * @packageDocumentation
 */
import { listener, plugin, Repo, route, service } from '../../core/index.ts'
import { gatewayErrors } from './errors.ts'
import { Gateway, GatewayToken } from './gateway.ts'
import { gatewayAddresses } from './listening.ts'
import { gatewayNeeds } from './services.ts'
import { gatewaySettings } from './settings.ts'
import { trustlessErrors } from './trustless/errors.ts'

const needs = { gateway: GatewayToken }

/** Content below one namespace, on the RPC's listener: served where the daemon's flag `--unrestricted-api` asks for it. */
const onRpc = (path: '/ipfs/*' | '/ipns/*' | '/net/*') =>
  route({
    listener: 'rpc',
    method: '*',
    path,
    help: "Content by its path, where the RPC's listener serves it too.",
    rawPath: true,
    needs,
    handle: ({ gateway }, request, response, context) => gateway.handle(request, response, context, false)
  })

export default plugin({
  name: 'gateway',
  api: '^1',
  about: 'Content over HTTP: files, folders and sites for browsers, blocks and archives for clients that check them.',
  nodeKeys: {
    atStart: [
      'Addresses.Gateway',
      'Gateway.HTTPHeaders',
      'Gateway.RootRedirect',
      'Gateway.ExposeRoutingAPI',
      'Experimental.P2pHttpProxy',
      'Gateway.NoFetch',
      'Gateway.NoDNSLink',
      'Gateway.DeserializedResponses',
      'Gateway.DisableHTMLErrors',
      'Gateway.PublicGateways'
    ]
  },
  settings: gatewaySettings,
  internal: [service(GatewayToken, { needs: gatewayNeeds, make: parts => new Gateway(parts) })],
  listeners: [
    listener({
      name: 'gateway',
      title: 'Gateway',
      tunnels: true,
      help: 'Content over HTTP.',
      needs: { repo: Repo },
      at: ({ repo }) => gatewayAddresses(repo),
      opened: async ({ repo }, [first]) => repo.announce('gateway', first!.url)
    })
  ],
  routes: [
    route({
      listener: 'gateway',
      method: '*',
      path: '/*',
      help: 'Content by its path or by the host name.',
      crossSite: true,
      rawPath: true,
      needs,
      handle: ({ gateway }, request, response, context) => gateway.handle(request, response, context)
    }),
    onRpc('/ipfs/*'),
    onRpc('/ipns/*'),
    onRpc('/net/*')
  ],
  errors: { ...gatewayErrors, ...trustlessErrors }
})
