/** Run as a process of its own: a node that does what its parent asks until it is killed. */
import { messageOf } from '../../core/index.ts'
import { hostOn, linesOf, type Request, type Settings } from './node.ts'

const [repo = '', settings = ''] = process.argv.slice(2)
const host = await hostOn(repo, JSON.parse(settings) as Settings)
process.send!('ready')

process.on('message', async (message: 'stop' | { number: number; path: string; request: Request }) => {
  if (message === 'stop') {
    await host.stop()
    process.disconnect()
    return
  }
  const { number, path, request } = message
  try {
    process.send!({ number, lines: await linesOf(host, path, request) })
  } catch (error) {
    process.send!({ number, lines: [], error: messageOf(error) })
  }
})
