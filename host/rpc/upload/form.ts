import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dagErrors } from '../../../core/dag/errors.ts'
import { Splitter, type SplitterEvents, type SplitterLimits } from './splitter.ts'

const require = createRequire(import.meta.url)

/** Reads an upload and tells what it holds; it stops between chunks while paused. */
export interface Form {
  pause(): void
  resume(): void
}

/**
 * Opens a form that reads `request`. The form is formidable's; the parser is a plugin of it and tells of the parts itself, as the dialect of Go's
 * `mime/multipart` is wider than what formidable's own parser takes, and header fields have to be bounded.
 */
export function openForm(request: IncomingMessage, boundary: string, limits: SplitterLimits, events: SplitterEvents): Form {
  if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) {
    new Splitter(boundary, events, limits).end()
    return { pause() {}, resume() {} }
  }
  const parser = new DialectParser(boundary, limits, events)
  PlainForm ??= plainForm()
  const form = new PlainForm({ enabledPlugins: [install(parser)], maxFiles: Infinity })
  parser.form = form
  form.parse(request, error => {
    if (error === null || error === undefined) events.end()
    else if (parser.over) events.fail(error as Error)
    else {
      // the connection broke off, or formidable gave up: what the command reads just ends
      parser.cut(dagErrors.E_UNEXPECTED_EOF())
      events.fail(dagErrors.E_UNEXPECTED_EOF())
    }
  })
  return form
}

/** The members of a form that a plugin of formidable sets and calls. */
interface FormInternals extends EventEmitter, Form {
  _parser: DialectParser
  ended: boolean
  readonly _plugins: ReadonlyArray<(form: unknown) => void>
  parse(request: IncomingMessage, done: (error: unknown) => void): void
}

let PlainForm: (new (options: object) => FormInternals) | undefined

/**
 * Formidable's form, its functions those of its class alone. V8 lays a function that is assigned to a property (`form.onPart = …`, or the one
 * that names files) among what is old: until the next full collection it keeps its form, and with that the whole request, from being collected
 * while young, which took a third of the processor time of a `block/put` of 1 KiB.
 */
function plainForm(): NonNullable<typeof PlainForm> {
  // loaded with the first upload: a tenth of an idle node's memory would be its
  const { Formidable } = require('formidable') as { Formidable: new (options: object) => FormInternals }
  return class extends Formidable {
    /** No file is written, so none is named. */
    _setUpRename(): void {}

    /** The parser is known: formidable makes a stream at each form, to find it. */
    async _parseContentType(): Promise<void> {
      for (const plugin of this._plugins) plugin(this)
    }
  }
}

function install(parser: DialectParser): (form: unknown) => void {
  return form => {
    ;(form as FormInternals)._parser = parser
  }
}

/** The parser that formidable's form writes to. */
class DialectParser extends EventEmitter {
  readonly #splitter: Splitter
  /** Whether the splitter has come to its end, good or bad; what fails then is its error. */
  over = false
  form!: FormInternals

  constructor(boundary: string, limits: SplitterLimits, events: SplitterEvents) {
    super()
    this.#splitter = new Splitter(
      boundary,
      {
        ...events,
        end: () => {
          this.over = true
          this.form.ended = true
          this.form.emit('end')
        },
        fail: error => {
          // a form that has failed listens no more
          const deaf = this.over
          this.over = true
          if (!deaf) this.emit('error', error)
        }
      },
      limits
    )
  }

  write(chunk: Buffer): void {
    this.#splitter.write(chunk)
  }

  end(): void {
    this.#splitter.end()
  }

  cut(error: Error): void {
    this.over = true
    this.#splitter.end(error)
  }
}
