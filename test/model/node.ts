/** A node that a sequence works with: in this process, or in one of its own that can be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, type Dirent, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'
import { uploadOf } from '../core/unixfs/import/upload.ts'

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url))
/** Looks at a repo that is copied until two of them agree, so that a copy is of one instant. */
const MOST_LOOKS = 20

export interface Request {
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly files?: ReadonlyArray<readonly [name: string, bytes: Uint8Array]>
}

export interface Settings {
  /** The threshold of `Internal.UnixFSShardingSizeThreshold`. */
  readonly threshold: string
  /** Changes of the tree that are kept one by one. */
  readonly journal: number
}

/** All lines of an answer; one line for an answer that is no stream; bytes in pieces as they come. */
export type Lines = readonly unknown[]

export interface Node {
  call(path: string, request?: Request): Promise<Lines>
  stop(): Promise<void>
  /** @returns where the repo lies as the death of the process leaves it */
  kill(): Promise<string>
}

export async function hostOn(repo: string, { threshold, journal }: Settings): Promise<NodeHost> {
  const config = { Internal: { UnixFSShardingSizeThreshold: threshold } }
  const mfs = { journal, held: 1024 }
  const host = await createHost({ repo: { path: repo, init: { config } }, configuration: { plugins: { mfs } as never } })
  await host.start()
  return host
}

export async function linesOf(host: NodeHost, path: string, { files, ...request }: Request = {}): Promise<Lines> {
  const reply = await host.call(path, { ...request, body: files && uploadOf(files) })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return [reply]
  const lines: unknown[] = []
  for await (const line of reply as AsyncIterable<unknown>) lines.push(line)
  return lines
}

/** A node in this process. Its death is a copy of the repo at an instant between two calls; what it still does then goes nowhere. */
export async function openHere(repo: string, settings: Settings): Promise<Node> {
  const host = await hostOn(repo, settings)
  return {
    call: (path, request) => linesOf(host, path, request),
    async stop() {
      await host.stop()
    },
    async kill() {
      const left = `${repo}+`
      copyOfAnInstant(repo, left)
      await host.stop()
      rmSync(repo, { recursive: true })
      return left
    }
  }
}

/** The database works in threads of its own: a copy counts when nothing has changed between the looks before and after it. */
function copyOfAnInstant(repo: string, to: string): void {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const before = stateOf(repo)
    rmSync(to, { recursive: true, force: true })
    try {
      cpSync(repo, to, { recursive: true, preserveTimestamps: true })
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
      continue
    }
    if (stateOf(repo) !== before) continue
    for (const name of ['', 'keystore']) if (existsSync(join(repo, name))) chmodSync(join(to, name), statSync(join(repo, name)).mode)
    // It names this process, which lives on.
    for (const name of readdirSync(to)) if (name.startsWith('repo.lock')) rmSync(join(to, name))
    return
  }
  throw new Error(`${repo} never stands still`)
}

function stateOf(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry: Dirent) => entry.isFile())
  return lines
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return `${path} ${found?.size} ${found?.mtimeMs}`
    })
    .sort()
    .join('\n')
}

/** A node in a process of its own, which is killed by `kill -9`. */
export async function openChild(repo: string, settings: Settings): Promise<Node> {
  const child = fork(CHILD, [repo, JSON.stringify(settings)], { serialization: 'advanced' })
  const gone = once(child, 'exit')
  const died = gone.then(([code]) => {
    throw new Error(`the node ended with ${code}`)
  })
  died.catch(() => {})
  const [ready] = await Promise.race([once(child, 'message'), died])
  if (ready !== 'ready') throw new Error(String(ready))
  return {
    call: (path, request) => Promise.race([askChild(child, path, request), died]),
    async stop() {
      child.send('stop')
      await gone
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
      return repo
    }
  }
}

interface Answer {
  readonly number: number
  readonly lines: Lines
  readonly error?: string
}

/** Answers may come many at a time: one listener for each question, from before it is asked. */
function askChild(child: ChildProcess, path: string, request: Request = {}): Promise<Lines> {
  const number = ++asked
  return new Promise((resolve, reject) => {
    const take = (answer: Answer) => {
      if (answer.number !== number) return
      child.off('message', take)
      if (answer.error === undefined) resolve(answer.lines)
      else reject(new Error(answer.error))
    }
    child.on('message', take)
    child.send({ number, path, request })
  })
}

let asked = 0
