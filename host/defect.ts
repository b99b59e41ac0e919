/** An error without a code: nobody declared it. */
export function isUndeclared(error: unknown): boolean {
  return typeof (error as { code?: unknown } | undefined)?.code !== 'string'
}

/** An error that nobody meant a caller to see. */
export function isDefect(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code === 'E_REPLY_SHAPE' || code === 'E_REPLY_KIND' || code === 'E_HOOK_RESULT' || code === 'E_HTTP_WORDS') return true
  return code === undefined && [TypeError, ReferenceError, RangeError, SyntaxError].some(kind => error instanceof kind)
}
