import { defineErrors } from '../../core/index.ts'

/** Errors of routes, and those that their callers are told. */
export const httpErrors = defineErrors({
  E_PATH_PATTERN: { message: (path: string, why: string) => `the path '${path}' is none: ${why}` },
  E_HOST_PATTERN: {
    message: (host: string) =>
      `the host '${host}' is none: write a name such as api.example.net, its first label perhaps a parameter: ':cid.ipfs.example.net'`
  },
  E_PATH_ENCODING: { wire: 'client', message: (text: string) => `the path is not percent-encoded UTF-8: ${JSON.stringify(text)}` },
  E_ROUTE_SILENT: {
    message: (plugin: string, route: string, ms: number) =>
      `plugin '${plugin}': its route ${route} did not begin to answer within ${ms} ms (rpc.limits.answerTimeoutMs)`
  },
  E_ROUTE_HOST: {
    wire: 'forbidden',
    message: (host: string, listener: string, plugin: string) =>
      `403 - Forbidden: ${host} is not a name of the listener '${listener}'. List it under allowedHosts of the plugin '${plugin}' to let it in.`
  },
  E_ROUTE_CROSS_SITE: {
    wire: 'forbidden',
    message: (listener: string, plugin: string) =>
      `403 - Forbidden: a page of another site asked for this. List its origin under allowedOrigins of the plugin '${plugin}' to let it in to the listener '${listener}'.`
  }
})
