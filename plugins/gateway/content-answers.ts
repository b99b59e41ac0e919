import { andThen } from '../../core/concurrency/index.ts'
import { searchParams } from '../../core/go/index.ts'
import { type BlockOptions, type Denylist, hasCode, prefixed, refuseDeniedPath } from '../../core/index.ts'
import type { Sources } from '../../core/unixfs/index.ts'
import { answers } from './answers.ts'
import { gatewayErrors } from './errors.ts'
import type { Reply } from './reply/reply.ts'
import { RequestBlocks, type Work } from './request/blocks.ts'
import { ContentRequest, type ContentRequestParts, type Site, unlessDenied } from './request/content.ts'
import { type Choice, chooseFormat } from './request/format.ts'
import { printedPath, type RequestedPath } from './request/path.ts'
import type { PathCache } from './request/path-cache.ts'
import { tellChoice } from './request/told-choice.ts'
import type { Answer, GatewayServices } from './services.ts'
import { refuseTrusting } from './trustless/only.ts'

interface Parts {
  readonly services: GatewayServices
  readonly cache: PathCache
  readonly denylist: Denylist | undefined
  readonly limits: Sources['limits']
}

interface Asked {
  readonly reply: Reply
  readonly work: Work
}

/** A request before its form is chosen, and its name followed. */
type Prepared = Omit<ContentRequestParts, 'choice' | 'name'>

/** The answers to requests for content: whether there may be one, in which form, and where the path's name leads. */
export class ContentAnswers {
  readonly #services: GatewayServices
  readonly #cache: PathCache
  readonly #denylist: Denylist | undefined
  readonly #limits: Sources['limits']

  constructor({ services, cache, denylist, limits }: Parts) {
    this.#services = services
    this.#cache = cache
    this.#denylist = denylist
    this.#limits = limits
  }

  /**
   * Answers a request for content, at once where nothing has to be waited for.
   *
   * @param deserialized - whether files and folders are served, and not blocks alone
   */
  answer(path: RequestedPath, site: Site, deserialized: boolean, { reply, work }: Asked): Promise<void> | void {
    const { blocks, dag, settings, config } = this.#services
    const denylist = this.#denylist
    const isLocalOnly = reply.request.headers['cache-control'] === 'only-if-cached'
    const parts: Prepared = {
      reply,
      path,
      site,
      query: site.rawQuery === '' ? NO_QUERY : searchParams(site.rawQuery),
      options: isLocalOnly || config.noFetch ? { signal: work.signal, offline: true } : { signal: work.signal },
      sources: { blocks: new RequestBlocks(blocks, settings, work, denylist), codecs: dag, limits: this.#limits },
      cache: this.#cache,
      denylist
    }
    return isLocalOnly || denylist !== undefined ? this.#unlessRefused(parts, deserialized, isLocalOnly) : this.#inForm(parts, deserialized)
  }

  /** The answer where something may stand against it. */
  async #unlessRefused(parts: Prepared, deserialized: boolean, isLocalOnly: boolean): Promise<void> {
    const { reply, path, denylist } = parts
    if (denylist !== undefined) await this.#refuseDenied(path, reply)
    if (isLocalOnly && !(await this.#isLocal(await this.#requestOf(parts, NO_CHOICE).catch(unlessDenied)))) {
      if (reply.isHead) return reply.empty(412)
      return reply.line(412, gatewayErrors.E_GATEWAY_NOT_LOCAL(path.text).message)
    }
    if (isLocalOnly && reply.isHead) return reply.empty(200)
    return this.#inForm(parts, deserialized)
  }

  /** The answer in the form that is asked for. */
  #inForm(parts: Prepared, deserialized: boolean): Promise<void> | void {
    const { reply, path, query } = parts
    const choice = this.#choice(reply, path, query)
    if (!deserialized) refuseTrusting(reply.request, path, choice)
    const answer: Answer | undefined = answers[choice.format]
    if (answer === undefined) throw gatewayErrors.E_GATEWAY_FORMAT(choice.mediaType)
    // of a name whose record is asked for, nobody asks what it leads to
    const isGiven = path.cid !== undefined || choice.format === 'ipns-record'
    return andThen(isGiven ? new ContentRequest({ ...parts, choice, name: undefined }) : this.#requestOf(parts, choice), content => {
      tellChoice(content)
      return answer(content, this.#services)
    })
  }

  /** The request for what a path leads to, its name followed. */
  async #requestOf(parts: Prepared, choice: Choice): Promise<ContentRequest> {
    const { path, options } = parts
    if (path.cid !== undefined) return new ContentRequest({ ...parts, choice, name: undefined })
    const content = new ContentRequest({ ...parts, choice, name: await this.#named(path, options) })
    await content.refuseDenied()
    return content
  }

  /** Before anybody looks where a path leads: it may say by its text alone that it is denied. */
  async #refuseDenied(path: RequestedPath, reply: Reply): Promise<void> {
    const { root, cid, segments } = path
    try {
      await refuseDeniedPath(
        this.#denylist,
        cid === undefined ? { namespace: 'ipns', name: root, segments } : { namespace: 'ipfs', root: cid, segments }
      )
    } catch (error) {
      reply.setText('X-Ipfs-Path', path.text)
      throw error
    }
  }

  async #named(path: RequestedPath, options: BlockOptions) {
    try {
      return await this.#services.names.resolve(path.root, path.segments, options)
    } catch (error) {
      options.signal?.throwIfAborted()
      throw prefixed(`failed to resolve ${printedPath(path.text)}: `, error)
    }
  }

  /** The form that is asked for. An `Accept` that cannot be read is told without a path. */
  #choice(reply: Reply, path: RequestedPath, query: URLSearchParams): Choice {
    const tellPath = () => reply.setText('X-Ipfs-Path', path.text)
    try {
      const choice = chooseFormat(reply.request, query.get('format'))
      tellPath()
      return choice
    } catch (error) {
      if (hasCode(error, 'E_GATEWAY_FORMAT')) tellPath()
      throw error
    }
  }

  /** Whether everything up to the end of the path is stored here. */
  async #isLocal(content: ContentRequest | undefined): Promise<boolean> {
    try {
      return content !== undefined && (await this.#services.blocks.has((await content.place()).cid))
    } catch (error) {
      unlessDenied(error)
      content?.options.signal?.throwIfAborted()
      return false
    }
  }
}

/** Read alone, by all requests without one. */
const NO_QUERY = new URLSearchParams()
const NO_CHOICE: Choice = { format: 'default', mediaType: '', parameters: new Map(), isInUrl: false }
