import type { Body, BodyPart } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import cid from '../../../plugins/cid/index.ts'

export type Host = Awaited<ReturnType<typeof testHost>>

export function cidHost(settings: Record<string, unknown> = {}, options: Parameters<typeof testHost>[0] = {}): Promise<Host> {
  return testHost({ builtIns: false, plugins: [cid], configuration: { plugins: { cid: settings } }, ...options })
}

export interface Sent {
  path?: string
  kind?: BodyPart['kind']
  chunks?: ReadonlyArray<string | Uint8Array>
}

export async function* upload(...parts: Sent[]): Body {
  for (const { path = '/f', kind = 'file', chunks = [] } of parts) {
    yield {
      path,
      kind,
      headers: {},
      async *bytes() {
        for (const chunk of chunks) yield Buffer.from(chunk)
      }
    }
  }
}
