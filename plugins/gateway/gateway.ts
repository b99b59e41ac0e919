import type { IncomingMessage, ServerResponse } from 'node:http'
import { healthReport } from '../../core/health-report.ts'
import {
  Blocks,
  Dag,
  Denylist,
  Health,
  Host,
  type Logger,
  Names,
  Network,
  ReadAhead,
  Repo,
  type RouteContext,
  Routing,
  type Startable,
  type Token,
  token,
  versionOfLevel
} from '../../core/index.ts'
import { Admission } from './admission.ts'
import { type GatewayConfig, readConfig } from './config.ts'
import { ContentAnswers } from './content-answers.ts'
import { gatewayErrors } from './errors.ts'
import { hostOf } from './hosts/host.ts'
import { type Lead, leadOf } from './hosts/lead.ts'
import { NodeNames, noNames } from './names.ts'
import { Reply, type ReplyConfig } from './reply/reply.ts'
import type { Work } from './request/blocks.ts'
import { refuseRegistration, sentElsewhere, uriTarget } from './request/elsewhere.ts'
import { holdsDots, isContentPath, isRaslPath, parsePath, raslCid } from './request/path.ts'
import { PathCache } from './request/path-cache.ts'
import { parseTarget, type Target } from './request/target.ts'
import { answerRouting } from './routing/answer.ts'
import { RecordQuota } from './routing/quota.ts'
import type { GatewayServices } from './services.ts'
import { GatewaySettings } from './settings.ts'

interface Parts {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly budget: ReadAhead | undefined
  readonly names: Names | undefined
  readonly denylist: Denylist | undefined
  readonly routing: Routing | undefined
  readonly network: Network | undefined
  readonly repo: Pick<Repo, 'get'>
  readonly health: Pick<Health, 'present'>
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
  #contents!: ContentAnswers
  readonly #admission: Admission
  readonly #cache = new PathCache()
  readonly #quota: RecordQuota

  constructor(parts: Parts) {
    this.#parts = parts
    this.#admission = new Admission(parts.settings)
    this.#quota = new RecordQuota(parts.settings.limits)
  }

  start(): void {
    const { blocks, dag, settings, repo, names, denylist, budget, log } = this.#parts
    this.#config = readConfig(repo)
    for (const line of this.#config.passedOver) log.error(line)
    this.#replies = { ...this.#config, stalledTimeoutMs: settings.stalledTimeoutMs }
    this.#services = { blocks, dag, settings, config: this.#config, names: names === undefined ? noNames : new NodeNames(names, denylist) }
    this.#contents = new ContentAnswers({ services: this.#services, cache: this.#cache, denylist, limits: { budget } })
  }

  /**
   * Answers a request.
   *
   * @param readsHost - whether the host may say what is asked for, and not the path alone
   */
  handle(request: IncomingMessage, response: ServerResponse, context: Context, readsHost = true): Promise<void> | void {
    const reply = new Reply(request, response, this.#replies, (ended, last, encoding) => context.end(ended, last, encoding))
    let who: string | undefined
    try {
      who = this.#admission.enter(context.caller)
    } catch (error) {
      return reply.error(error)
    }
    let answered: Promise<void> | void
    try {
      const target = parseTarget(request.url ?? '/')
      const { queryBytes } = this.#parts.settings.limits
      if (target.rawQuery.length > queryBytes) throw gatewayErrors.E_GATEWAY_QUERY(target.rawQuery.length, queryBytes)
      const asked = { reply, target, work: context, who }
      answered = readsHost ? this.#answer(asked) : this.#onPaths({ kind: 'paths', rule: undefined }, asked)
    } catch (error) {
      answered = Promise.reject(error)
    }
    if (answered !== undefined) return this.#over(answered, reply, who)
    this.#admission.leave(who)
  }

  /** Waits for an answer that was not there at once, or that there is none. */
  async #over(answered: Promise<void>, reply: Reply, who: string | undefined): Promise<void> {
    try {
      await answered
    } catch (error) {
      if (reply.isOpen) reply.error(error)
      else this.#parts.log.debug({ err: error }, `the answer to ${reply.request.url} was broken off`)
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
        return this.#onHealth(reply, asked.target) ? undefined : reply.line(404, NOT_FOUND)
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
    if (this.#parts.settings.rasl && rule === undefined && isRaslPath(path)) return this.#byRasl(asked)
    if (!isContentPath(path)) return this.#beside(rule === undefined, asked)
    if (this.#refusesMethod(reply)) return
    refuseRegistration(reply.request, target)
    const to = sentElsewhere(target)
    if (to !== undefined) return reply.redirect(to.status, to.location)
    const site = { rawPath, rawQuery, isIsolated: false, linkBase: '', dnsLink: undefined }
    return this.#contents.answer(parsePath(path, this.#cache), site, rule?.deserialized ?? this.#config.deserialized, asked)
  }

  /** A block by RASL: nothing is negotiated, and the query says nothing. */
  #byRasl(asked: Asked): Promise<void> | void {
    if (this.#refusesMethod(asked.reply)) return
    const rawPath = `/ipfs/${raslCid(asked.target.path)}`
    const site = { rawPath, rawQuery: 'format=raw', isIsolated: false, linkBase: '', dnsLink: undefined }
    return this.#contents.answer(parsePath(rawPath, this.#cache), site, this.#config.deserialized, asked)
  }

  /** A host that a root has to itself. */
  #onSite({ root, rule, linkBase, dnsLink }: Extract<Lead, { kind: 'site' }>, asked: Asked): Promise<void> | void {
    const { reply, target } = asked
    const { path, rawPath, rawQuery } = target
    if (this.#refusesMethod(reply)) return
    // what leads out of the root would be another site in this one's origin
    if (holdsDots(path)) throw gatewayErrors.E_GATEWAY_DOTS(path)
    const site = { rawPath, rawQuery, isIsolated: true, linkBase, dnsLink }
    return this.#contents.answer(parsePath(root + path, this.#cache), site, rule?.deserialized ?? this.#config.deserialized, asked)
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

  /** The answer to a load balancer. @returns whether it was one that asked */
  #onHealth(reply: Reply, { path }: Target): boolean {
    if (path !== '/health' && path !== '/ready') return false
    const report = healthReport(this.#parts.health, path, false)
    reply.set('Content-Type', 'application/json').set('Cache-Control', 'no-store')
    reply.text(report.status === 'ok' ? 200 : 503, `${JSON.stringify(report)}\n`)
    return true
  }

  /** The answer for a target that is no content. */
  #otherwise(isUnknownHost: boolean, { reply, target }: Asked): void {
    const { rootRedirect } = this.#config
    if (this.#onHealth(reply, target)) return
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
}

export const GatewayToken: Token<Gateway> = token<Gateway>('gateway')

/** The body of `/version` (Kubo 0.28, core/corehttp/gateway.go). */
const versionText = ({ level }: Pick<Host, 'level'>) => `Commit: \nClient Version: kubo/${versionOfLevel(level)}/\n`
const NOT_FOUND = '404 page not found'
