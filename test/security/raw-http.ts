import { connect } from 'node:net'

/** What came back, word for word. */
export interface RawAnswer {
  status: number
  head: string
  body: string
}

/** Sends bytes that no HTTP client would, each character one byte, and reads until the server hangs up. */
export function sendRaw(port: number, bytes: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    // A server that has refused a request may reset what is still being sent.
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(parse(text))))
    socket.on('close', () => resolve(parse(text)))
    socket.write(bytes, 'latin1')
  })
}

function parse(text: string): RawAnswer {
  const [head = '', ...body] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') }
}
