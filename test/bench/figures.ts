/** One measured ratio (or size), and the target it is held to. */
export interface Figure {
  section: string
  work: string
  subject: string
  value: number
  /** The quartiles over the rounds. */
  low?: number
  high?: number
  unit: string
  atMost?: number
  atLeast?: number
  /** Absolute figures of this run, which are never compared with another run's. */
  note?: string
}

/** Whether the target is met; undefined where there is none. */
export function passes({ value, atMost, atLeast }: Figure): boolean | undefined {
  if (atMost !== undefined) return value <= atMost
  if (atLeast !== undefined) return value >= atLeast
  return undefined
}

/** Measures one part of the whole. What it tells on the way goes to `log`. */
export interface Section {
  name: string
  about: string
  /** Left out unless it is asked for by name. */
  onlyByName?: boolean
  run(log: (line: string) => void): Promise<Figure[]>
}
