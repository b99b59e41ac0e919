import { hasCode, messageOf } from '../../../core/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { Reply } from '../reply/reply.ts'
import { answerPeers, answerProviders } from './peers.ts'
import { answerRecord, takeRecord } from './record.ts'
import type { RoutingRequest, RoutingServices } from './request.ts'

type Answer = (request: RoutingRequest, services: RoutingServices) => Promise<void>

const PATH = /^\/routing\/v1\/(providers|peers|ipns)\/([^/]+)$/

const ANSWERS: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  providers: { GET: answerProviders },
  peers: { GET: answerPeers },
  ipns: { GET: answerRecord, PUT: takeRecord }
}

/**
 * Answers a request of the delegated routing HTTP API (https://specs.ipfs.tech/routing/http-routing-v1/). Errors are plain text, for programs.
 *
 * @returns whether the path is one of it
 */
export async function answerRouting(
  path: string,
  { reply, signal, who }: Omit<RoutingRequest, 'of'>,
  services: RoutingServices
): Promise<boolean> {
  const [, kind, of] = PATH.exec(path) ?? []
  if (kind === undefined || of === undefined) return false
  const answer = ANSWERS[kind]![reply.request.method ?? '']
  if (answer === undefined) reply.set('Allow', Object.keys(ANSWERS[kind]!).join(', ')).empty(405, 0)
  else {
    try {
      await answer({ reply, of, signal, who }, services)
    } catch (error) {
      if (!reply.isOpen || hasCode(error, 'E_DENIED') || hasCode(error, 'E_ROUTING_RECORDS')) throw error
      tell(reply, error)
    }
  }
  return true
}

function tell(reply: Reply, error: unknown): void {
  const known = REFUSALS.includes((error as { code?: string }).code ?? '')
  const told = known ? (error as ReturnType<typeof gatewayErrors.E_ROUTING_REQUEST>) : gatewayErrors.E_ROUTING_DELEGATE(messageOf(error))
  reply.set('Content-Type', 'text/plain; charset=utf-8').text(told.status, told.message)
}

const REFUSALS = ['E_ROUTING_REQUEST', 'E_ROUTING_ABSENT', 'E_ROUTING_TYPE']
