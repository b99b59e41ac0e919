import { join } from 'node:path'
import type { NodeError } from '../../../core/index.ts'
import { isLeft } from '../../../core/repo/claims.ts'
import { isInitialised, repoFiles } from '../../../core/repo/layout.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import { cliErrors } from '../errors.ts'
import type { Invocation } from '../line/invocation.ts'
import type { Pairs } from '../line/options.ts'
import { YoungGeneration } from '../memory/young-generation.ts'
import type { Local, LocalRequest } from '../node/local.ts'
import { type ApiAddress, apiAddress } from '../remote/address.ts'
import { addressInRepo } from '../remote/api-file.ts'
import { apiSecret } from '../remote/api-secret.ts'
import { Remote } from '../remote/remote.ts'
import type { Answer } from './answer.ts'
import { callOf } from './call-of.ts'
import { carriesCalls } from './carries-calls.ts'
import type { Plan } from './plan.ts'

interface OpenAnswer {
  readonly answer: Answer
  close(): Promise<void>
}

/**
 * Asks the node that runs; without one, works on the repo in this process.
 *
 * @param asked - options beside those of the line
 * @param onSent - told of the bytes of files that were sent
 */
export async function ask(plan: Plan, asked: Pairs, onSent: (bytes: number) => void): Promise<OpenAnswer> {
  const { command, binding, line, terminal, wanted, words, upload, stdin } = plan
  // for as long as the process lives
  new YoungGeneration()
  const pairs = [...line.sent, ...asked]
  const signal = terminal.interrupts()
  const common = { words, pairs, wanted, signal, onSent }
  if (plan.globals.gateway !== undefined) return askGateways(plan, common)
  const remote = command.local && !carriesCalls(command) ? undefined : await remoteOf(plan)
  let beside: Local | undefined
  if (remote !== undefined) {
    try {
      if (command.local) beside = await openLocal(plan, remote.node)
      else {
        const octets = command.reply.kind === 'bytes'
        const answer = await remote.node.ask({ ...common, path: command.path, upload: upload ?? stdin?.source, octets })
        return { answer, close: async () => {} }
      }
    } catch (error) {
      if (!(await isLeftOver(error, remote.named, plan))) throw error
    }
  }
  const local = beside ?? (await openLocal(plan))
  const close = () => local.close()
  try {
    const answer = await local.ask({ ...common, command, binding, upload, stdin: stdin?.bytes() })
    return { answer, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs a command over the blocks of gateways: no node is asked, and no repo touched. */
async function askGateways(
  plan: Plan,
  common: Pick<LocalRequest, 'words' | 'pairs' | 'wanted' | 'signal' | 'onSent'>
): Promise<OpenAnswer> {
  const { command, binding, commands, globals, stdin } = plan
  if (globals.api !== undefined) throw cliErrors.E_GATEWAY_API()
  const [{ GatewayStore }, { Local: Opened }] = await Promise.all([import('../node/gateway-store.ts'), import('../node/local.ts')])
  const store = new GatewayStore(plan)
  const local = await Opened.over(store, commands, globals)
  const close = async () => {
    store.close()
    await local.close()
  }
  try {
    return { answer: await local.ask({ ...common, command, binding, upload: undefined, stdin: stdin?.bytes() }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A node in this process: on the repo, or to carry calls to another one. */
async function openLocal(plan: Plan, to?: Remote): Promise<Local> {
  const { commands, globals, terminal } = plan
  const { Local: Opened } = await import('../node/local.ts')
  const local = await (to === undefined
    ? Opened.open(callOf(plan), commands, globals, terminal.stderr)
    : Opened.beside(to, commands, globals))
  local.watch(terminal.stderr)
  return local
}

/** The node to ask: the one that was named, else the one that left its address in the repo. */
export async function remoteOf({ globals, commands, terminal }: Pick<Invocation, 'globals' | 'commands' | 'terminal'>) {
  const named = globals.api ?? (terminal.env['HOLDFAST_API'] || undefined)
  const address = named === undefined ? await addressOfRunning(folderOf(globals, commands.loaded)) : apiAddress(named)
  return address === undefined ? undefined : { node: new Remote(address, await apiSecret(globals, terminal)), named: named !== undefined }
}

/**
 * The address in a repo. One that a node left there which was killed does not count: whoever listens there now, files and secrets are not
 * meant for.
 */
async function addressOfRunning(repo: string): Promise<ApiAddress | undefined> {
  const address = await addressInRepo(repo)
  return address !== undefined && (await isLeft(join(repo, repoFiles.lock))) ? undefined : address
}

/** Whether an address in the repo is that of a node that is gone, so that the repo can be worked on from here. */
async function isLeftOver(error: unknown, named: boolean, { globals, commands }: Plan): Promise<boolean> {
  const { code, cause } = error as Partial<NodeError>
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code
  if (named || code !== 'E_API_UNREACHABLE' || (reason !== 'ECONNREFUSED' && reason !== 'ENOENT')) return false
  return isInitialised(folderOf(globals, commands.loaded))
}
