/** `node load.js PORT PATH CONNECTIONS SECONDS METHOD`: keeps that many requests under way and prints how many a second were answered. */
import net from 'node:net'

const [port = '', path = '', connections = '32', duration = '5', method = 'POST'] = process.argv.slice(2)
const request = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`
const marker = Buffer.from('HTTP/1.1 200')
let answered = 0
let counting = false

for (let i = 0; i < Number(connections); i++) {
  const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(request))
  socket.setNoDelay(true)
  let ended = false
  socket.on('data', data => {
    // an answer is whole when its last byte is here; both servers send small answers in one write
    if (data.includes(marker)) ended = true
    else if (!ended) throw new Error(data.toString())
    if (!data.subarray(-2).equals(Buffer.from('\r\n')) && !data.subarray(-1).equals(Buffer.from('}'))) return
    if (counting) answered++
    ended = false
    socket.write(request)
  })
}
setTimeout(() => {
  counting = true
  const began = performance.now()
  setTimeout(() => {
    console.log(Math.round(answered / ((performance.now() - began) / 1000)))
    process.exit()
  }, Number(duration) * 1000)
}, 1000)
