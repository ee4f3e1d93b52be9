/**
 * The current time, injected so that tests and the sandbox can replace it. TOTP codes and the sessions of operators use
 * the context's `realClock` instead, which the sandbox does not move. (Another device computes TOTP codes from the real
 * time.)
 */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs
