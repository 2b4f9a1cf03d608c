import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Clients that create, delete and list over one connection each, and retry nothing. */
export interface Clients {
  /** The number of requests that were answered as they should be. */
  answered(): number
  /** Stops them, checks that nothing is lost, and returns what went wrong. */
  finish(): Promise<string[]>
}

export function startClients(count: number, port: number): Clients {
  const errors: string[] = []
  let answered = 0
  let isRunning = true

  async function run(number: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const owner = `client-${number}`

    /** Sends a request. Resolves to the body, or to undefined and records an error if the status isn't the expected one. */
    async function call(method: string, path: string, plant?: object): Promise<string | undefined> {
      const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }
      const expected = method === 'DELETE' ? 204 : 200
      try {
        const body = await new Promise<string>((resolve, reject) => {
          const message = request({ agent, port, method, path, headers }, (response) => {
            text(response).then((body) => {
              if (response.statusCode === expected) resolve(body)
              else reject(new Error(`${response.statusCode} ${body}`))
            }, reject)
          })
          message.once('error', reject).end(plant && JSON.stringify(plant))
        })
        answered++
        return body
      } catch (error) {
        errors.push(`${new Date().toISOString()} ${method} ${path} of ${owner}: ${error}`)
        return undefined
      }
    }

    const names = new Set<string>()
    for (let id = 1; isRunning; id++) {
      const name = `Plant ${id}`
      if ((await call('POST', '/plants', { id, name })) === undefined) continue
      const isDeleted = id % 3 > 0 && (await call('DELETE', `/plants/${id}`)) !== undefined
      if (!isDeleted) names.add(name)
    }
    const plants: { name: string }[] = JSON.parse((await call('GET', '/plants')) ?? '[]')
    const listed = new Set(plants.map(({ name }) => name))
    for (const name of names) if (!listed.has(name)) errors.push(`${name} of ${owner} is lost`)
    for (const name of listed) if (!names.has(name)) errors.push(`${name} of ${owner} is too much`)
    agent.destroy()
  }

  const runs = Array.from({ length: count }, (_, number) => run(number))
  return {
    answered: () => answered,
    async finish() {
      isRunning = false
      await Promise.all(runs)
      return errors
    },
  }
}
