import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server on loopback that answers TXT questions out of a table, and says of all other names that they are not there. @returns its address */
export async function dnsServer(t: { teardown(end: () => unknown): void }, table: Readonly<Record<string, readonly string[]>>) {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    let end = 12
    const labels: string[] = []
    for (let length = question[end]!; length > 0; length = question[end]!) {
      labels.push(question.toString('latin1', end + 1, end + 1 + length))
      end += 1 + length
    }
    const texts = table[labels.join('.').toLowerCase()]
    const head = Buffer.from(question.subarray(0, end + 5))
    head.writeUInt16BE(texts === undefined ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(texts?.length ?? 0, 6)
    head.fill(0, 8, 12)
    const answers = (texts ?? []).map(text => {
      const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
      const answer = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 0])
      answer.writeUInt16BE(data.length, 10)
      return Buffer.concat([answer, data])
    })
    socket.send(Buffer.concat([head, ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}
