import type { ExecutionContext } from 'ava'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'

export const CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

export interface Line {
  readonly Status: string
  readonly Cid: string
  readonly Name: string
}

/** A node in memory that has a service of the name `mine`. */
export async function nodeWith(t: ExecutionContext, url: string, settings: Record<string, unknown> = {}, key = 'secret') {
  const host = await testHost({ configuration: { plugins: { 'remote-pins': { pollInterval: 1, ...settings } } } })
  t.teardown(() => host.stop())
  await host.call('pin/remote/service/add', { args: ['mine', url, key] })
  const lines = async (path: string, options: Record<string, unknown> = {}, args: string[] = []) =>
    itemsOf<Line>(await host.call(path, { args, options: { service: 'mine', ...options } }))
  const add = (options: Record<string, unknown> = {}, cid = CID) => lines('pin/remote/add', options, [cid])
  const ls = (options?: Record<string, unknown>) => lines('pin/remote/ls', options)
  const rm = (options: Record<string, unknown> = {}) => host.call('pin/remote/rm', { options: { service: 'mine', ...options } })
  const stored = async (text: string) => (await itemsOf<{ Hash: string }>(await host.call('add', { body: upload(text) })))[0]!.Hash
  return { host, add, ls, rm, stored }
}
