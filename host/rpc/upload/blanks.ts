/** The line without spaces and tabs at its ends. Patterns that look for them take a time that grows with the square of a line's length. */
export function trimBlanks(line: string): string {
  return trimBlanksEnd(trimBlanksStart(line))
}

export function trimBlanksStart(line: string): string {
  let start = 0
  while (isBlank(line.charCodeAt(start))) start++
  return line.slice(start)
}

export function trimBlanksEnd(line: string): string {
  let end = line.length
  while (end > 0 && isBlank(line.charCodeAt(end - 1))) end--
  return line.slice(0, end)
}

/** Whether a character is a space or a tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9
}
