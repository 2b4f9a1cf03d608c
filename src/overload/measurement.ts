/** What a call says of its storage. */
export interface Measurement {
  readonly ms: number
  /** The number of calls in progress when it began, including itself. */
  readonly inFlight: number
}

/** The lower quartile: some calls may take much longer, and say nothing of how many are too many. */
export function usual(measurements: readonly Measurement[]): Measurement | undefined {
  return measurements.toSorted((a, b) => a.ms - b.ms)[measurements.length >> 2]
}

export function total(measurements: readonly Measurement[], key: keyof Measurement): number {
  return measurements.reduce((sum, measurement) => sum + measurement[key], 0)
}
