import { z } from 'zod'
import { formatDuration, goQuote } from '../../core/go/index.ts'
import { messageOf } from '../../core/index.ts'
import { formatName, formatTime, type IpnsRecord, parseName, validateRecord } from '../../core/ipns/index.ts'
import { hexdump } from './hexdump.ts'

const uint64 = z.union([z.int(), z.bigint()]).meta({ go: 'uint64' })

/** The answer of `name/inspect`. A field that a record lacks, or has in a form that nobody reads, is null. */
export const inspection = z.object({
  Entry: z.object({
    Value: z.string(),
    ValidityType: z.union([z.int(), z.bigint()]).nullable(),
    Validity: z.string().nullable(),
    Sequence: uint64.nullable(),
    TTL: z.union([z.int(), z.bigint()]).nullable()
  }),
  PbSize: z.int(),
  SignatureType: z.string(),
  HexDump: z.string(),
  Validation: z.object({ Valid: z.boolean(), Reason: z.string(), Name: z.string() }).nullable()
})

type Inspection = z.output<typeof inspection>

/** @param name - of the record, where it is to be checked. @throws E_PEER_ID, E_PEER_ID_CODEC */
export async function inspect(record: IpnsRecord, { dump, name }: { dump: boolean; name: string | undefined }): Promise<Inspection> {
  const multihash = name === undefined ? undefined : parseName(name)
  const { path = '', validityType = null, end, sequence = null, ttl = null, bytes, fields } = record
  return {
    Entry: { Value: path, ValidityType: validityType, Validity: end === undefined ? null : formatTime(end), Sequence: sequence, TTL: ttl },
    PbSize: bytes.length,
    SignatureType: signatureType(fields),
    HexDump: dump ? hexdump(bytes) : '',
    Validation: multihash === undefined ? null : await validation(record, multihash)
  }
}

function signatureType({ signatureV1, value, signatureV2, data }: IpnsRecord['fields']): string {
  if (signatureV1 !== undefined || value !== undefined) return 'V1+V2'
  return signatureV2 !== undefined && data !== undefined ? 'V2' : 'Unknown'
}

async function validation(record: IpnsRecord, multihash: Uint8Array): Promise<Inspection['Validation']> {
  const Name = formatName(multihash)
  try {
    await validateRecord(record, multihash)
    return { Valid: true, Reason: '', Name }
  } catch (error) {
    return { Valid: false, Reason: messageOf(error), Name }
  }
}

/** An inspection for a person. */
export function printed({ Entry, PbSize, SignatureType, HexDump, Validation }: Inspection): string {
  const { Value, ValidityType, Validity, Sequence, TTL } = Entry
  const lines = [
    ['Value:', goQuote(Value)],
    ['Validity Type:', ValidityType === null ? undefined : `'\\x${ValidityType.toString(16).padStart(2, '0')}'`],
    ['Validity:', Validity === null ? undefined : goQuote(Validity)],
    ['Sequence:', Sequence?.toString()],
    ['TTL:', TTL === null ? undefined : formatDuration(BigInt(TTL))],
    ['Protobuf Size:', String(PbSize)],
    ['Signature Type:', SignatureType]
  ] as const
  const head = lines.map(([label, text]) => (text === undefined ? '' : `${label.padEnd(16)}${text}\n`)).join('')
  const dump = HexDump === '' ? '' : `\nHex Dump:\n${HexDump}`
  return `${head}\n${verdict(Validation)}${dump}`
}

function verdict(validation: Inspection['Validation']): string {
  if (validation === null) return "This record was not verified. Pass '--verify k51...' to verify.\n"
  const { Valid, Reason, Name } = validation
  return `Validation results:\n Valid: ${Valid}\n${Reason === '' ? '' : ` Reason: ${Reason}\n`} Name:  ${Name}\n`
}

/** A text as the reference prints it that takes it for a format: what follows a percent sign is a verb without a value. */
export function asFormat(text: string): string {
  return text.replace(/%[-+# 0]*\d*(?:\.\d*)?(.?)/gsu, (_, verb: string) =>
    verb === '%' ? '%' : verb === '' ? '%!(NOVERB)' : `%!${verb}(MISSING)`
  )
}
