import { decodeUnixFs } from '../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../core/unixfs/export/node.ts'
import { goMode, modeOfGo } from '../../core/unixfs/go-mode.ts'
import { modeText, momentOf } from '../../core/unixfs/metadata-text.ts'
import { UnixFsType } from '../../core/unixfs/types.ts'

/** The mode and time of a node in `files/stat`; one that is not there, or zero, is left out. */
interface MetadataFields {
  readonly Mtime?: number | bigint | undefined
  readonly MtimeNsecs?: number | undefined
  readonly Mode?: string | undefined
}

/** The fields of a node. A symlink without a mode has all rights. (Kubo 0.42, core/commands/files.go) */
export function metadataFields({ kind, node }: LoadedBlock): MetadataFields {
  if (kind !== 'dag-pb') return {}
  const { type, mode, mtime } = decodeUnixFs(node.data)
  const isDirectory = type === UnixFsType.Directory || type === UnixFsType.HAMTShard
  const isLink = type === UnixFsType.Symlink
  const bits = mode ?? (isLink ? 0o777 : 0)
  return {
    Mtime: mtime?.seconds || undefined,
    MtimeNsecs: mtime?.nanoseconds || undefined,
    Mode:
      bits === 0
        ? undefined
        : goMode(bits, isDirectory ? 'directory' : isLink ? 'symlink' : 'file')
            .toString(8)
            .padStart(4, '0')
  }
}

/** The words of a format that they fill. */
export function metadataWords({
  Mtime,
  MtimeNsecs = 0,
  Mode,
  Type
}: MetadataFields & { readonly Type: string }): Readonly<Record<string, unknown>> {
  const bits = modeOfGo(Number.parseInt(Mode ?? '0', 8))
  const isSet = Mtime !== undefined && BigInt(Mtime) > 0n
  const { day, month, year, clock } = momentOf(BigInt(Mtime ?? 0))
  return {
    '<mode>': bits === 0 ? 'not set' : modeText(bits, Type === 'directory' ? 'directory' : 'file'),
    '<mode-octal>': bits === 0 ? 'not set' : `0${(bits & 0o777).toString(8).padStart(3, '0')}`,
    '<mtime>': isSet ? `${Number(day)} ${month} ${year}, ${clock} UTC` : 'not set',
    '<mtime-secs>': isSet ? Mtime : 'not set',
    '<mtime-nsecs>': isSet ? MtimeNsecs : 'not set'
  }
}
