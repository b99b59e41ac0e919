import { defineErrors } from '../../../core/index.ts'

/** Errors of an upload, as Go's mime, mime/multipart, net/textproto and net/http say it. What is about text gets it quoted already. */
export const multipartErrors = defineErrors({
  E_MULTIPART_TYPE: { wire: 'client', message: () => "request Content-Type isn't multipart/form-data" },
  E_MULTIPART_BOUNDARY_MISSING: { wire: 'client', message: () => 'no multipart boundary param in Content-Type' },
  E_MULTIPART_NEXT: { message: (why: string) => `multipart: NextPart: ${why}` },
  E_MULTIPART_EXPECTED: { message: (line: string) => `multipart: expecting a new Part; got line ${line}` },
  E_MULTIPART_UNEXPECTED: { message: (line: string) => `multipart: unexpected line in Next(): ${line}` },
  E_MULTIPART_HEADER_LARGE: { message: () => 'multipart: message too large' },
  E_MULTIPART_PARTS: { message: (most: number) => `multipart: too many parts: this node takes ${most} (rpc.limits.parts)` },
  E_MIME_HEADER_START: { message: (line: string) => `malformed MIME header initial line: ${line}` },
  E_MIME_HEADER_COLON: { message: (line: string) => `malformed MIME header: missing colon: ${line}` },
  E_MIME_HEADER_LINE: { message: (line: string) => `malformed MIME header line: ${line}` },
  E_MIME_NO_TYPE: { message: () => 'mime: no media type' },
  E_MIME_SLASH: { message: () => 'mime: expected slash after first token' },
  E_MIME_SUBTYPE: { message: () => 'mime: expected token after slash' },
  E_MIME_AFTER_SUBTYPE: { message: () => 'mime: unexpected content after media subtype' },
  E_MIME_PARAMETER: { message: () => 'mime: invalid media parameter' },
  E_MIME_PARAMETER_TWICE: { message: () => 'mime: duplicate parameter name' },
  E_QUOTED_PRINTABLE: { message: (why: string) => `quotedprintable: ${why}` }
})
