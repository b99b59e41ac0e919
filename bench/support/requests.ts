/** `node requests.js PORT PATH CONNECTIONS COUNT`: sends that many requests, one at a time on each connection, and ends when all are answered. */
import net from 'node:net'

const [port = '', path = '', connections = '32', count = ''] = process.argv.slice(2)
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
let left = Number(count)
let answered = 0

for (let i = 0; i < Number(connections); i++) {
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.setNoDelay(true)
  const next = () => {
    if (left-- > 0) socket.write(request)
  }
  let begun = false
  socket.on('connect', next)
  socket.on('data', data => {
    begun ||= data.includes('HTTP/1.1 200')
    if (!begun) throw new Error(data.toString())
    // what is asked for ends in a brace
    if (data.at(-1) !== 0x7d) return
    begun = false
    if (++answered === Number(count)) process.exit()
    next()
  })
  socket.on('close', () => {
    throw new Error('the connection was closed')
  })
}
