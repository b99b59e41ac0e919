import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  Blocks,
  Dag,
  Denylist,
  Host,
  hasCode,
  type Logger,
  Names,
  Network,
  prefixed,
  ReadAhead,
  Repo,
  type RouteContext,
  Routing,
  refuseDeniedPath,
  type Startable,
  type Token,
  token,
  versionOfLevel
} from '../../core/index.ts'
import { Admission } from './admission.ts'
import { answers } from './answers.ts'
import { type GatewayConfig, readConfig } from './config.ts'
import { gatewayErrors } from './errors.ts'
import { hostOf } from './hosts/host.ts'
import { type Lead, leadOf } from './hosts/lead.ts'
import { NodeNames, noNames } from './names.ts'
import { Reply, type ReplyConfig } from './reply/reply.ts'
import { RequestBlocks, type Work } from './request/blocks.ts'
import { ContentRequest, type Site, unlessDenied } from './request/content.ts'
import { refuseRegistration, sentElsewhere, uriTarget } from './request/elsewhere.ts'
import { type Choice, chooseFormat } from './request/format.ts'
import { holdsDots, isContentPath, parsePath, printedPath, type RequestedPath } from './request/path.ts'
import { PathCache } from './request/path-cache.ts'
import { parseTarget, type Target } from './request/target.ts'
import { tellChoice } from './request/told-choice.ts'
import { answerRouting } from './routing/answer.ts'
import { RecordQuota } from './routing/quota.ts'
import { type Answer, type GatewayServices } from './services.ts'
import { GatewaySettings } from './settings.ts'
import { refuseTrusting } from './trustless/only.ts'

interface Parts {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly budget: ReadAhead | undefined
  readonly names: Names | undefined
  readonly denylist: Denylist | undefined
  readonly routing: Routing | undefined
  readonly network: Network | undefined
  readonly repo: Pick<Repo, 'get'>
  readonly host: Pick<Host, 'level'>
  readonly settings: GatewaySettings
  readonly log: Pick<Logger, 'debug' | 'error'>
}

/** The context of a request, by the listener. */
type Context = Pick<RouteContext, 'signal' | 'caller' | 'end' | 'abort'>

/** The parts of one request. */
interface Asked {
  readonly reply: Reply
  readonly target: Target
  readonly work: Work
  /** The caller, as far as requests are counted by it. */
  readonly who: string | undefined
}

/** The content gateway: every request of its listener goes through here. */
export class Gateway implements Startable {
  readonly #parts: Parts
  #services!: GatewayServices
  #config!: GatewayConfig
  #replies!: ReplyConfig
  readonly #admission: Admission
  readonly #cache = new PathCache()
  readonly #quota: RecordQuota

  constructor(parts: Parts) {
    this.#parts = parts
    this.#admission = new Admission(parts.settings)
    this.#quota = new RecordQuota(parts.settings.limits)
  }

  start(): void {
    const { blocks, dag, settings, repo, names, denylist, log } = this.#parts
    this.#config = readConfig(repo)
    for (const line of this.#config.passedOver) log.error(line)
    this.#replies = { ...this.#config, stalledTimeoutMs: settings.stalledTimeoutMs }
    this.#services = { blocks, dag, settings, config: this.#config, names: names === undefined ? noNames : new NodeNames(names, denylist) }
  }

  /**
   * Answers a request.
   *
   * @param readsHost - whether the host may say what is asked for, and not the path alone
   */
  async handle(request: IncomingMessage, response: ServerResponse, context: Context, readsHost = true): Promise<void> {
    const reply = new Reply(request, response, this.#replies, (ended, last, encoding) => context.end(ended, last, encoding))
    let who: string | undefined
    try {
      who = this.#admission.enter(context.caller)
    } catch (error) {
      return reply.error(error)
    }
    try {
      const asked = { reply, target: parseTarget(request.url ?? '/'), work: context, who }
      await (readsHost ? this.#answer(asked) : this.#onPaths({ kind: 'paths', rule: undefined }, asked))
    } catch (error) {
      if (reply.isOpen) reply.error(error)
      else this.#parts.log.debug({ err: error }, `the answer to ${request.url} was broken off`)
    } finally {
      this.#admission.leave(who)
    }
  }

  #answer(asked: Asked): Promise<void> | void {
    const { reply, target, work } = asked
    const { request } = reply
    const uri = uriTarget(target)
    if (uri !== undefined) return reply.redirect(301, uri)
    const { hosts, noDnsLink, noFetch } = this.#config
    const options = { signal: work.signal, ...(noFetch && { offline: true }) }
    const host = hostOf(request, target.host)
    const lead = leadOf(host, target, { hosts, noDnsLink, names: this.#services.names, request, options })
    return lead instanceof Promise ? lead.then(found => this.#follow(found, asked)) : this.#follow(lead, asked)
  }

  #follow(lead: Lead, asked: Asked): Promise<void> | void {
    const { reply } = asked
    switch (lead.kind) {
      case 'redirect':
        return reply.redirect(301, lead.to)
      case 'nothing':
        return reply.line(404, NOT_FOUND)
      case 'paths':
        return this.#onPaths(lead, asked)
      case 'site':
        return this.#onSite(lead, asked)
    }
  }

  /** A host on which paths say what is asked for. */
  #onPaths({ rule }: Extract<Lead, { kind: 'paths' }>, asked: Asked): Promise<void> | void {
    const { reply, target } = asked
    const { path, rawPath, rawQuery } = target
    if (path === '/ipfs' || path === '/ipns' || path === '/net')
      return reply.redirect(301, `${path}/${rawQuery === '' ? '' : `?${rawQuery}`}`)
    if (path.startsWith('/p2p/') && this.#config.proxiesPeers) return this.#byPeer(asked)
    if (!isContentPath(path)) return this.#beside(rule === undefined, asked)
    if (this.#refusesMethod(reply)) return
    refuseRegistration(reply.request, target)
    const to = sentElsewhere(target)
    if (to !== undefined) return reply.redirect(to.status, to.location)
    const site = { rawPath, rawQuery, isIsolated: false, linkBase: '', dnsLink: undefined }
    return this.#content(parsePath(path, this.#cache), site, rule?.deserialized ?? this.#config.deserialized, asked)
  }

  /** A host that a root has to itself. */
  #onSite({ root, rule, linkBase, dnsLink }: Extract<Lead, { kind: 'site' }>, asked: Asked): Promise<void> | void {
    const { reply, target } = asked
    const { path, rawPath, rawQuery } = target
    if (this.#refusesMethod(reply)) return
    // what leads out of the root would be another site in this one's origin
    if (holdsDots(path)) throw gatewayErrors.E_GATEWAY_DOTS(path)
    const site = { rawPath, rawQuery, isIsolated: true, linkBase, dnsLink }
    return this.#content(parsePath(root + path, this.#cache), site, rule?.deserialized ?? this.#config.deserialized, asked)
  }

  /** The proxied answer of a peer. */
  async #byPeer({ reply, target, work }: Asked): Promise<void> {
    const { network, settings } = this.#parts
    const { answerByPeer } = await import('./proxy/answer.ts')
    return answerByPeer(target, reply, work.signal, { network, settings })
  }

  /** A request that is for no content. */
  async #beside(isUnknownHost: boolean, asked: Asked): Promise<void> {
    if (!(await this.#onRouting(isUnknownHost, asked))) this.#otherwise(isUnknownHost, asked)
  }

  /** Routing requests, where they are answered. @returns whether this was one */
  async #onRouting(isUnknownHost: boolean, { reply, target, work, who }: Asked): Promise<boolean> {
    if (!isUnknownHost || !this.#config.exposesRouting || !target.path.startsWith('/routing/v1/')) return false
    const { retrievalTimeoutMs: most } = this.#parts.settings
    const signal = most === 0 ? work.signal : AbortSignal.any([work.signal, AbortSignal.timeout(most)])
    return answerRouting(target.path, { reply, signal, who }, { ...this.#parts, quota: this.#quota })
  }

  /** The answer for a target that is no content. */
  #otherwise(isUnknownHost: boolean, { reply, target }: Asked): void {
    const { rootRedirect } = this.#config
    if (isUnknownHost && target.path === '/version') {
      reply.set('Content-Type', 'text/plain; charset=utf-8').text(200, versionText(this.#parts.host))
      return
    }
    if (isUnknownHost && rootRedirect !== '') reply.redirect(302, rootRedirect)
    else reply.line(404, NOT_FOUND)
  }

  #refusesMethod(reply: Reply): boolean {
    const { method = '' } = reply.request
    if (method === 'GET' || method === 'HEAD') return false
    if (method === 'OPTIONS') reply.set('Allow', 'GET, HEAD, OPTIONS').empty(200, 0)
    else reply.set('Allow', 'GET, HEAD, OPTIONS').line(405, gatewayErrors.E_GATEWAY_METHOD(method).message)
    return true
  }

  async #content(path: RequestedPath, site: Site, deserialized: boolean, { reply, work }: Asked): Promise<void> {
    const { request } = reply
    const { blocks, dag, budget, settings, denylist } = this.#parts
    const cache = this.#cache
    if (denylist !== undefined) await this.#refuseDenied(path, reply)
    const query = site.rawQuery === '' ? NO_QUERY : new URLSearchParams(site.rawQuery)
    const isLocalOnly = request.headers['cache-control'] === 'only-if-cached'
    const options = { signal: work.signal, ...((isLocalOnly || this.#config.noFetch) && { offline: true }) }
    const sources = { blocks: new RequestBlocks(blocks, settings, work, denylist), codecs: dag, limits: { budget } }
    const contentOf = async (choice: Choice) => {
      const name = path.cid === undefined ? await this.#named(path, options) : undefined
      const content = new ContentRequest({ reply, path, site, query, choice, options, sources, name, cache, denylist })
      if (name !== undefined) await content.refuseDenied()
      return content
    }
    if (isLocalOnly && !(await this.#isLocal(await contentOf(NO_CHOICE).catch(unlessDenied)))) {
      if (reply.isHead) return reply.empty(412)
      return reply.line(412, gatewayErrors.E_GATEWAY_NOT_LOCAL(path.text).message)
    }
    if (isLocalOnly && reply.isHead) return reply.empty(200)
    const choice = this.#choice(reply, path, query)
    if (!deserialized) refuseTrusting(request, path, choice)
    const answer = answers[choice.format]
    if (answer === undefined) throw gatewayErrors.E_GATEWAY_FORMAT(choice.mediaType)
    // of a name whose record is asked for, nobody asks what it leads to
    const isRecord = choice.format === 'ipns-record'
    const content = isRecord
      ? new ContentRequest({ reply, path, site, query, choice, options, sources, name: undefined, cache, denylist })
      : await contentOf(choice)
    tellChoice(content)
    return (answer as Answer)(content, this.#services)
  }

  /** Before anybody looks where a path leads: it may say by its text alone that it is denied. */
  async #refuseDenied(path: RequestedPath, reply: Reply): Promise<void> {
    const { root, cid, segments } = path
    try {
      await refuseDeniedPath(
        this.#parts.denylist,
        cid === undefined ? { namespace: 'ipns', name: root, segments } : { namespace: 'ipfs', root: cid, segments }
      )
    } catch (error) {
      reply.setText('X-Ipfs-Path', path.text)
      throw error
    }
  }

  async #named(path: RequestedPath, options: { signal: AbortSignal }) {
    try {
      return await this.#services.names.resolve(path.root, path.segments, options)
    } catch (error) {
      options.signal.throwIfAborted()
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
      return content !== undefined && (await this.#parts.blocks.has((await content.place()).cid))
    } catch (error) {
      unlessDenied(error)
      content?.options.signal?.throwIfAborted()
      return false
    }
  }
}

export const GatewayToken: Token<Gateway> = token<Gateway>('gateway')

/** The body of `/version` (Kubo 0.28, core/corehttp/gateway.go). */
const versionText = ({ level }: Pick<Host, 'level'>) => `Commit: \nClient Version: kubo/${versionOfLevel(level)}/\n`
const NOT_FOUND = '404 page not found'
/** Read alone, by all requests without one. */
const NO_QUERY = new URLSearchParams()
const NO_CHOICE: Choice = { format: 'default', mediaType: '', parameters: new Map(), isInUrl: false }
