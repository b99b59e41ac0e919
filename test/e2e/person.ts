import { spawn } from 'node:child_process'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { bin } from '../helpers/process/daemon.ts'
import { outcomeOf } from '../helpers/process/outcome.ts'

/** A user with a home and a working directory, who runs command lines in processes of their own. */
export interface Person {
  readonly home: string
  /** The working directory. */
  readonly folder: string
  holdfast(...args: string[]): Promise<{ code: number | null; out: string; err: string }>
  with(env: Readonly<Record<string, string>>): Person['holdfast']
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Whether something of the working directory was run; forgets it. */
  ran(): Promise<boolean>
}

/** A user for the length of a test. Nothing of the environment of the tests is theirs. */
export async function person(t: ExecutionContext): Promise<Person> {
  const top = await temporaryFolder(t)
  const [home, folder] = [join(top, 'home'), join(top, 'folder')]
  await mkdir(home)
  await mkdir(folder)
  const plain = Object.entries(process.env).filter(([name]) => !/^(XDG_|HOLDFAST_|IPFS_)/.test(name))
  const run =
    (env: Readonly<Record<string, string>>) =>
    async (...args: string[]) => {
      const child = spawn(process.execPath, [bin, ...args], {
        cwd: folder,
        env: { ...Object.fromEntries(plain), HOME: home, ...env },
        stdio: ['ignore', 'pipe', 'pipe']
      })
      return outcomeOf(child)
    }
  const mark = join(top, 'ran')
  return {
    home,
    folder,
    holdfast: run({}),
    with: run,
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(join(folder, name, '..'), { recursive: true })
        await writeFile(join(folder, name), text.replaceAll('MARK', JSON.stringify(mark)))
      }
    },
    async ran() {
      const there = await access(mark).then(
        () => true,
        () => false
      )
      await rm(mark, { force: true })
      return there
    }
  }
}

/** A listener that takes note of what it is sent. */
export async function listener(t: ExecutionContext): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = []
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, seen }
}
