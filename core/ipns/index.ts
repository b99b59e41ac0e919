/**
 * IPNS: records that say where a name leads, made, read, checked and compared; and names.
 *
 * @packageDocumentation
 */
export { makeRecord, type RecordContent, type Signer } from './make.ts'
export { formatName, parseName, routingKey } from './name.ts'
export { IpnsRecord, MAX_RECORD_SIZE, type RecordFields, readRecord } from './record.ts'
export { formatTime, nowInNanoseconds, parseTime } from './time.ts'
export { compareRecords, validateRecord } from './validate.ts'
