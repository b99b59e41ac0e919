import { printed } from '../../core/go/printed.ts'

interface Added {
  readonly Name: string
  readonly Hash?: string | undefined
}

/** The lines that a terminal shows of an add (Kubo 0.28, core/commands/add): a line for each node, its hash alone, or the last hash alone. */
export async function* addedLines(
  events: AsyncIterable<Added>,
  { quiet, quieter }: { quiet?: boolean | undefined; quieter?: boolean | undefined }
): AsyncGenerator<string> {
  let last: string | undefined
  for await (const { Name, Hash } of events) {
    if (Hash === undefined) continue
    last = Hash
    if (!quieter) yield quiet ? `${Hash}\n` : `added ${Hash} ${printed(Name)}\n`
  }
  if (quieter && last !== undefined) yield `${last}\n`
}
