import { defineErrors } from '../../core/index.ts'

/** Why the RPC listener does not open, and what it tells callers whom it does not let in. */
export const rpcErrors = defineErrors({
  E_RPC_ADDRESS: {
    message: (address: string, why: string) =>
      `cannot listen on '${address}': ${why}. Give a multiaddr such as /ip4/127.0.0.1/tcp/5001 or /unix/run/holdfast.sock`
  },
  E_RPC_LISTEN: { message: (address: string, why: string) => `cannot listen on ${address}: ${why}` },
  E_RPC_EXPOSED: {
    message: (address: string) =>
      `refusing to serve the RPC on ${address}: whoever reaches this address could do anything with the node. Either set API.Authorizations in the node configuration, so that callers need a secret, or listen on a loopback address such as /ip4/127.0.0.1/tcp/5001 (Addresses.API, rpc.address or --api)`
  },
  E_RPC_GRANT_KEY: {
    message: (name: string, key: string) =>
      `API.Authorizations.${name} has the key '${key}' in the node configuration: there are AuthSecret, AllowedPaths, Access, SecretHash, Commands, Created and Expires`
  },
  E_RPC_GRANT_ACCESS: {
    message: (name: string, access: string) =>
      `API.Authorizations.${name}.Access is ${access} in the node configuration: it is 'read', 'write' or 'admin'`
  },
  E_RPC_GRANT_VALUE: {
    message: (name: string, key: string, wanted: string) =>
      `API.Authorizations.${name}.${key} is something else than ${wanted} in the node configuration`
  },
  E_RPC_HOST: {
    wire: 'forbidden',
    message: (host: string) =>
      `403 - Forbidden: ${host} is not a name of this node. List it under rpc.allowedHosts in the host configuration to let it in.`
  },
  E_RPC_CROSS_SITE: {
    wire: 'forbidden',
    message: () =>
      '403 - Forbidden: a page of another site asked for this. Allow its origin under API.HTTPHeaders.Access-Control-Allow-Origin in the node configuration to let it in.'
  },
  E_RPC_BUSY: {
    wire: 'rateLimited',
    message: (most: number) => `this node already runs ${most} requests at a time (rpc.limits.concurrentRequests), try again later`
  },
  E_RPC_BUSY_CALLER: {
    wire: 'rateLimited',
    message: (most: number) => `this node already runs ${most} requests of yours at a time (rpc.limits.requestsPerCaller), try again later`
  },
  E_RPC_BUSY_CONTROL: {
    wire: 'rateLimited',
    message: (most: number) =>
      `this node already runs ${most} requests for its control at a time (rpc.limits.controlRequests), try again later`
  },
  E_RPC_BODY_SILENT: {
    wire: 'client',
    message: (ms: number) => `nothing more of the request's body came for ${ms} ms (rpc.limits.bodyTimeoutMs)`
  },
  E_RPC_ANSWER_UNREAD: {
    wire: 'client',
    message: (ms: number) =>
      `the answer was not read for ${ms} ms while the request's body was still to come (rpc.limits.bodyTimeoutMs): read it while you send`
  },
  E_RPC_CLOSING: { wire: 'rateLimited', message: () => 'the node is shutting down' },
  E_RPC_HOSTS: { wire: 'client', message: () => 'too many Host headers' },
  E_RPC_TARGET_HOST: {
    wire: 'client',
    message: (target: string) => `the target names the host ${target}, and the field Host another one`
  },
  E_RPC_QUERY_TOO_LONG: {
    wire: 'client',
    message: (most: number) => `query too long: this node takes ${most} bytes (rpc.limits.queryBytes)`
  },
  E_RPC_HEADER_TOO_LARGE: {
    wire: 'client',
    message: (most: number) => `header too large: this node takes ${most} bytes (rpc.limits.headerBytes)`
  },
  E_ENCODING_UNKNOWN: { wire: 'client', message: (name: string) => `invalid encoding: ${name}` },
  E_XML_TYPE: { message: (type: string) => `xml: unsupported type: ${type}` }
})
