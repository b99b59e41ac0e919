/** The part of restify that the RPC stands on; the package's types describe its front only. */
declare module 'restify/lib/server.js' {
  import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'

  export default class Server {
    constructor(options: { name: string; router: object; noWriteContinue: boolean; log: object })
    readonly server: HttpServer
    on(event: 'error', listener: (error: Error) => void): void
    /** Runs before everything else; `false` ends the request there. */
    first(handler: (request: IncomingMessage, response: ServerResponse) => boolean): void
  }
}
