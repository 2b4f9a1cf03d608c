import { connect } from '../../shared/wire.ts'

/** Sends bytes on a connection of their own, and returns the answer. */
export async function ask(port: number, bytes: string | Uint8Array) {
  const wire = await connect(port)
  wire.send(bytes)
  return wire.receive()
}
