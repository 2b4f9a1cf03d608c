/** The three operations as each generated client makes them, in one form for the test. */
export interface GeneratedClient {
  create(plant: Plant): Promise<Answer>
  list(query?: { limit?: number; cursor?: string }): Promise<Answer>
  delete(id: number): Promise<Answer>
}

export interface Plant {
  id: number
  name: string
  tag?: string
}

export interface Answer {
  status: number
  /** What the client made of the body; undefined where there is none. */
  body: unknown
  link: string | null
}

/** Makes a generated client of the store at `baseUrl`. */
export type MakeClient = (baseUrl: string, token: string) => Promise<GeneratedClient>
