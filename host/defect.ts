/** An error without a code: nobody declared it. */
export function isUndeclared(error: unknown): boolean {
  return typeof (error as { code?: unknown } | undefined)?.code !== 'string'
}

const DEFECTS: ReadonlySet<unknown> = new Set(['E_REPLY_SHAPE', 'E_REPLY_KIND', 'E_HOOK_RESULT', 'E_HTTP_WORDS', 'E_ROUTE_HOOK'])

/** An error that nobody meant a caller to see. */
export function isDefect(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  if (DEFECTS.has(code)) return true
  return code === undefined && [TypeError, ReferenceError, RangeError, SyntaxError].some(kind => error instanceof kind)
}
