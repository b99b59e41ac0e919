import type { ExecutionContext } from 'ava'

/** Holds what a function makes of texts against what it is to make of each. */
export function makes(t: ExecutionContext, make: (text: string) => string, wanted: Readonly<Record<string, string>>): void {
  for (const [text, made] of Object.entries(wanted)) t.is(make(text), made, text)
}
