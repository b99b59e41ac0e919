import type { Calls, Host } from '../../core/index.ts'

/** The documents about this node's commands. Each is made when somebody first asks for it, as are the modules that make it. */
export class Documents {
  readonly #calls: Pick<Calls, 'commands'>
  readonly #host: Pick<Host, 'level' | 'plugins' | 'switchedOff'>
  #openApi: Promise<string> | undefined

  constructor(calls: Pick<Calls, 'commands'>, host: Pick<Host, 'level' | 'plugins' | 'switchedOff'>) {
    this.#calls = calls
    this.#host = host
  }

  /** The OpenAPI document as JSON. */
  openApi(): Promise<string> {
    this.#openApi ??= this.#describe()
    return this.#openApi
  }

  async #describe(): Promise<string> {
    const [{ openApiDocument }, { version }] = await Promise.all([import('../openapi/document.ts'), import('../version.ts')])
    const commands = this.#calls.commands()
    const { level } = this.#host
    const document = openApiDocument({ commands, plugins: this.#host.plugins(), switchedOff: this.#host.switchedOff(), version, level })
    return `${JSON.stringify(document)}\n`
  }
}
