/** The time, as a collaborator: tests and the sandbox can put another one in its place. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs
