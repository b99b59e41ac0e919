/** Bits of Go's file modes that stand for POSIX's (Go, io/fs). */
const GO_SPECIAL = [
  [0x0080_0000, 0o4000],
  [0x0040_0000, 0o2000],
  [0x0010_0000, 0o1000]
] as const
const GO_TYPE = { file: 0, directory: 0x8000_0000, symlink: 0x0800_0000 } as const

/** Permissions of a number that Go would call a file mode; its type is left out. */
export function modeOfGo(go: number): number {
  return GO_SPECIAL.reduce((bits, [from, to]) => (go & from ? bits | to : bits), go & 0o777)
}

/** Go's file mode of a node. */
export function goMode(mode: number, type: keyof typeof GO_TYPE = 'file'): number {
  return GO_SPECIAL.reduce((bits, [to, from]) => (mode & from ? bits | to : bits), (mode & 0o777) | GO_TYPE[type]) >>> 0
}
