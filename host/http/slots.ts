import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { NodeError } from '../../core/index.ts'
import { type Listed, SwapList } from '../calls/swap-list.ts'
import { rpcErrors } from './listener-errors.ts'
import type { RpcLimits } from './settings.ts'

/** The part of the slots that a single caller has where nothing else is said. */
const ONE_CALLERS_PART = 0.875

/** Slots of one kind. */
class SlotPool {
  readonly most: number
  readonly each: number
  readonly byCaller = new Map<string, number>()
  readonly slots = new SwapList<Slot>()

  constructor(most: number, each: number) {
    this.most = most
    this.each = each
  }
}

/** One request's place among those that run. */
interface Slot extends Listed {
  readonly pool: SlotPool
  readonly caller: string
  readonly response: ServerResponse
  /** The slots of its connection: the request forgets that when its body is left in the middle. */
  readonly held: Slot[]
}

const SLOT = Symbol('slot')
const HELD = Symbol('held')

type Holding = ServerResponse & { [SLOT]?: Slot }
type HoldingSocket = Socket & { [HELD]?: Slot[] }

/**
 * The requests that run: no more than the limits say, and of one caller not all of them. Commands and routes that are for controlling a
 * node have slots of their own, so that a node whose others are held can still be looked at and stopped.
 */
export class Slots {
  readonly #all: SlotPool
  readonly #control: SlotPool

  constructor(limits: RpcLimits) {
    const { concurrentRequests, controlRequests, requestsPerCaller } = limits
    const each = requestsPerCaller === 0 ? Math.ceil(concurrentRequests * ONE_CALLERS_PART) : requestsPerCaller
    this.#all = new SlotPool(concurrentRequests, each)
    this.#control = new SlotPool(controlRequests, Math.ceil(controlRequests * ONE_CALLERS_PART))
  }

  /**
   * Gives a request its slot, until it is answered or its connection is gone.
   *
   * @returns why there is none
   */
  take(request: IncomingMessage, response: ServerResponse, caller: string, isControl: boolean): NodeError | undefined {
    // control takes its own slots where it finds no other
    const pool = isControl && this.#why(this.#all, caller) !== undefined ? this.#control : this.#all
    if (pool === this.#control && this.#why(pool, caller) !== undefined) leaveAnswered(pool)
    const why = this.#why(pool, caller)
    if (why !== undefined) return why
    const ofCaller = pool.byCaller.get(caller) ?? 0
    const held = heldOn(request.socket)
    const slot: Slot = { pool, at: -1, caller, response, held }
    pool.slots.add(slot)
    pool.byCaller.set(caller, ofCaller + 1)
    ;(response as Holding)[SLOT] = slot
    response.on('close', answered)
    held.push(slot)
    return undefined
  }

  /** Why a caller gets no slot of a kind; undefined where it does. */
  #why(pool: SlotPool, caller: string): NodeError | undefined {
    if (pool.slots.size >= pool.most) {
      return pool === this.#control ? rpcErrors.E_RPC_BUSY_CONTROL(pool.most) : rpcErrors.E_RPC_BUSY(pool.most)
    }
    return (pool.byCaller.get(caller) ?? 0) >= pool.each ? rpcErrors.E_RPC_BUSY_CALLER(pool.each) : undefined
  }
}

function heldOn(socket: HoldingSocket): Slot[] {
  let held = socket[HELD]
  if (held === undefined) {
    held = []
    socket[HELD] = held
    socket.on('close', gone)
  }
  return held
}

// one function each for all: what they need lies on the response and the socket

function answered(this: Holding): void {
  const slot = this[SLOT]
  if (slot !== undefined) leave(slot)
}

function gone(this: HoldingSocket): void {
  for (const slot of this[HELD]?.slice() ?? []) {
    leave(slot)
    tellGone(slot.response)
  }
}

/** Closes an answer that waits behind another on a connection that is gone, as Node 24 does by itself: whoever works for it has to learn that. */
function tellGone(response: ServerResponse): void {
  if (response.socket !== null || response.destroyed) return
  Object.assign(response, { destroyed: true, _closed: true })
  response.emit('close')
}

/**
 * Frees slots whose work is done. Their answers still wait: for a client to read, or behind another answer on their connection, where a
 * single client could keep all others from controlling the node.
 */
function leaveAnswered({ slots }: SlotPool): void {
  for (const slot of slots) if (slot.response.writableEnded) leave(slot)
}

function leave(slot: Slot): void {
  const { pool, caller, held } = slot
  if (!pool.slots.delete(slot)) return
  held.splice(held.indexOf(slot), 1)
  const left = pool.byCaller.get(caller)! - 1
  if (left === 0) pool.byCaller.delete(caller)
  else pool.byCaller.set(caller, left)
}
