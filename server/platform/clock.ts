/**
 * The time, as a collaborator: tests and the sandbox can put another one in its place. What another device measures too, an
 * authenticator's code, and who may work in the studio go by the context's `realClock`, which the sandbox does not move.
 */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs
