import { randomInt } from 'node:crypto'
import fc from 'fast-check'

/** Default number of cases per property. `PROPERTY_RUNS` overrides it. */
const defaultRuns = 25

const { PROPERTY_RUNS, PROPERTY_SEED, PROPERTY_PATH } = process.env

/**
 * Seed of ordinary runs. It is fixed, so that they always test the same cases and fail only because of a change. `npm
 * run test:properties` searches for new cases.
 */
const defaultSeed = 1

/** Seed of this run. `PROPERTY_SEED` repeats an earlier run. */
export const propertySeed = Number(
  PROPERTY_SEED ?? (PROPERTY_RUNS === undefined ? defaultSeed : randomInt(2 ** 31)),
)

export const propertyRuns = Number(PROPERTY_RUNS ?? defaultRuns)

/** Timeout of a property test in milliseconds: a case may take seconds on a busy machine. */
export const propertyTimeoutMs = 600_000 + propertyRuns * 2_000

interface RunOptions {
  /** Factor for the number of cases: below 1 for slow cases, above 1 for very fast cases. */
  share?: number
  /** One of several concurrent checks of the same property. Each lane has its own seed. */
  lane?: { number: number; of: number }
}

/**
 * Checks a property with random cases.
 * @throws Error with the smallest failing case and the command that repeats it
 */
export async function checkProperty<Case>(
  property: fc.IRawProperty<Case>,
  { share = 1, lane = { number: 0, of: 1 } }: RunOptions = {},
): Promise<void> {
  const isReplay = PROPERTY_PATH !== undefined
  // A replay runs only the first lane, because PROPERTY_SEED is then the seed of the lane that has failed.
  if (isReplay && lane.number > 0) return
  const result = await fc.check(property, {
    seed: propertySeed + lane.number,
    numRuns: Math.ceil((propertyRuns * share) / lane.of),
    ...(isReplay ? { path: PROPERTY_PATH, endOnFailure: true } : {}),
  })
  if (!result.failed) return
  const report = await fc.asyncDefaultReportMessage(result)
  const { seed, counterexamplePath: path, errorInstance: cause } = result
  const reason = cause instanceof Error ? `${cause.message}\n${cause.stack}` : String(cause)
  const repeat = `PROPERTY_SEED=${seed} PROPERTY_PATH=${path} npm run test:properties`
  throw new Error(`${report}\nThe error: ${reason}\nTo repeat it: ${repeat}`, { cause })
}
