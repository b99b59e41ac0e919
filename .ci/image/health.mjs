// Exits with 0 when the node whose repo HOLDFAST_PATH names answers, and no start would mend what keeps it from its work.
import { readFileSync } from 'node:fs'

const [, , host, , port] = readFileSync(`${process.env.HOLDFAST_PATH}/api`, 'utf8').trim().split('/')
const { status } = await fetch(`http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}/health`, { signal: AbortSignal.timeout(4000) })
if (status >= 500) throw new Error(`the node answers with ${status}`)
