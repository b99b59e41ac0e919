/** UnixFS node types (UnixFS specification, `Data.DataType`). */
export const UnixFsType = { Raw: 0, Directory: 1, File: 2, Metadata: 3, Symlink: 4, HAMTShard: 5 } as const

/** The names of the types by number, as the protobuf spells them. */
export const typeNames = Object.keys(UnixFsType) as ReadonlyArray<keyof typeof UnixFsType>
