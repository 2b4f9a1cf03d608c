import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Clients that create, delete and list over one connection each, and retry nothing. */
export interface Clients {
  /** The number of requests that were answered as they should be. */
  answered(): number
  /** Stops them, checks that nothing is lost, and returns what went wrong. */
  finish(): Promise<string[]>
}

/** The owner of a list of 1.5 MB. */
const GARDENER = 'gardener'
const LONG_LIST = 300
const LONG_NAME = 'x'.repeat(5000)

export async function startClients(count: number, port: number): Promise<Clients> {
  const errors: string[] = []
  let answered = 0
  let isRunning = true

  /** Sends a request. Resolves to the body, or to undefined and records an error if the status isn't the expected one. */
  async function call(
    agent: Agent,
    owner: string,
    method: string,
    path: string,
    plant?: object,
  ): Promise<string | undefined> {
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

  async function list(agent: Agent, owner: string): Promise<{ name: string }[]> {
    const body = await call(agent, owner, 'GET', '/plants')
    try {
      return JSON.parse(body ?? '[]')
    } catch {
      errors.push(`The list of ${owner} is truncated`)
      return []
    }
  }

  async function run(number: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const owner = `client-${number}`
    const names = new Set<string>()
    for (let id = 1; isRunning; id++) {
      const name = `Plant ${id}`
      if (await call(agent, owner, 'POST', '/plants', { id, name })) names.add(name)
      if (id % 3 > 0 && names.has(name)) {
        const deleted = await call(agent, owner, 'DELETE', `/plants/${id}`)
        if (deleted !== undefined) names.delete(name)
      }
      if ((id + number) % 100 === 0) {
        const { length } = await list(agent, GARDENER)
        if (length !== LONG_LIST) errors.push(`A list has ${length} plants of ${LONG_LIST}`)
      }
    }
    const listed = new Set((await list(agent, owner)).map(({ name }) => name))
    for (const name of names) if (!listed.has(name)) errors.push(`${name} of ${owner} is lost`)
    for (const name of listed) if (!names.has(name)) errors.push(`${name} of ${owner} is too much`)
    agent.destroy()
  }

  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const ids = Array.from({ length: LONG_LIST }, (_, index) => index + 1)
  await Promise.all(
    ids.map((id) => call(agent, GARDENER, 'POST', '/plants', { id, name: LONG_NAME })),
  )
  agent.destroy()
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
