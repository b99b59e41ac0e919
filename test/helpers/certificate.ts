import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Writes a certificate for 127.0.0.1 with its key, which signs itself. */
export async function certify(folder: string, name: string): Promise<{ certificate: string; key: string }> {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate]
  ])
  await chmod(key, 0o600)
  return { certificate, key }
}
