/** The three operations of a generated client, in one form for the test. */
export interface GeneratedClient {
  create(plant: Plant): Promise<Answer>
  list(query?: { limit?: number; cursor?: string }): Promise<Answer>
  delete(id: number): Promise<Answer>
}

interface Plant {
  id: number
  name: string
  tag?: string
}

interface Answer {
  status: number
  /** The body as the client parsed it, or undefined if there is none. */
  body: unknown
  link: string | null
}

/** Creates a generated client for the store at `baseUrl`. */
export type MakeClient = (baseUrl: string, token: string) => Promise<GeneratedClient>
