import { stat } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { fileErrors } from '../../../core/files/errors.ts'
import { refuseForeignOpen, thisUser } from '../../../core/files/foreign.ts'
import { readAddressFile } from '../../../core/repo/layout.ts'
import { isLoopback, isUnspecified } from '../../http/listen/addresses.ts'
import { cliErrors } from '../errors.ts'
import { type ApiAddress, apiAddress } from './address.ts'

/**
 * The address that a node left in its repo. Files and secrets are sent there without anybody having named it, so it counts only in a file
 * of this user's own that nobody else can write, and only where it stays on this machine: on loopback, or a socket of this user's own.
 *
 * @returns undefined when there is no such file
 * @throws E_API_FILE, E_FILE_OWNER, E_FILE_SHARED, E_ADDRESS_FILE_SIZE, E_FILE_IRREGULAR
 */
export async function addressInRepo(repo: string): Promise<ApiAddress | undefined> {
  const there = await readAddressFile(repo, 'api')
  if (there === undefined) return undefined
  const { file, address, found } = there
  refuseOthers(file, found.uid)
  refuseForeignOpen(file, found)
  const read = addressOf(address)
  const { hostname: host, socketPath } = read?.target ?? {}
  if (read !== undefined && socketPath) {
    await refuseOthersSocket(file, socketPath)
    return read
  }
  const near = read === undefined || !host ? undefined : loopbackOf(host)
  if (read === undefined || near === undefined) throw cliErrors.E_API_FILE(file, address)
  return { ...read, target: { ...read.target, hostname: near } }
}

function addressOf(text: string): ApiAddress | undefined {
  try {
    return apiAddress(text)
  } catch {
    return undefined
  }
}

/** The host to call; undefined for one that may be another machine. A name is anybody's who answers for it. */
function loopbackOf(host: string): string | undefined {
  if (host.toLowerCase() === 'localhost' || isLoopback(host)) return host
  if (!isUnspecified(host)) return undefined
  return isIPv6(host) ? '::1' : '127.0.0.1'
}

/** Root's files are not this user's own either. */
function refuseOthers(file: string, uid: number): void {
  const user = thisUser()
  if (user !== undefined && uid !== user.uid) throw fileErrors.E_FILE_OWNER(file, file, uid)
}

/** @throws E_API_FILE, E_FILE_OWNER; a socket that is gone passes, as nobody answers there */
async function refuseOthersSocket(file: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket() && process.platform !== 'win32') throw cliErrors.E_API_FILE(file, `/unix${path}`)
  const user = thisUser()
  if (user !== undefined && found.uid !== user.uid) throw fileErrors.E_FILE_OWNER(file, path, found.uid)
}
