import { systemClock, type Clock } from '#server/platform/clock.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { advanceClockOffset, selectClockOffset } from './queries.ts'

type GatewayConfig = Pick<Config, 'allowSandbox' | 'stripe' | 'paypal'>

/** Each process rereads the clock's offset after this time. */
const refreshAfterMs = 5000

/** Returns whether the sandbox is the only configured gateway. Only then can the clock be advanced. */
const isAdjustable = ({ allowSandbox, stripe, paypal }: GatewayConfig) => allowSandbox && !stripe && !paypal

/**
 * Creates the site's clock: the system clock or, if only the sandbox is configured, the system clock plus the offset
 * that the operator set. The offset is stored in the database, so that all processes use it.
 */
export async function createSiteClock(config: GatewayConfig, db: Db, log: Log): Promise<Clock> {
  if (!isAdjustable(config)) return systemClock
  let offsetMs = await selectClockOffset(db)
  let readAt = Date.now()
  const refresh = () => {
    readAt = Date.now()
    selectClockOffset(db).then(
      // The offset only grows, so `Math.max` ignores the late answer of an earlier read.
      (offset) => (offsetMs = Math.max(offsetMs, offset)),
      (error: unknown) => log.debug({ err: error }, 'The sandbox clock could not be read'),
    )
  }
  return {
    now() {
      const now = Date.now()
      if (now - readAt > refreshAfterMs) refresh()
      return new Date(now + offsetMs)
    },
  }
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Advances the site's clock by a duration (`45m`, `12h`, `30d`). The clock cannot be set back.
 * @returns the new time
 * @throws ConfigError if a real gateway is configured, or the duration is invalid
 */
export async function advanceClock(
  config: GatewayConfig,
  db: Db,
  duration: string | undefined,
): Promise<Date> {
  if (!isAdjustable(config))
    throw new ConfigError('The clock can be advanced only if the sandbox is the only configured gateway.')
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(duration ?? '') ?? []
  const milliseconds = Number(count) * (units[unit ?? ''] ?? NaN)
  if (!(milliseconds > 0)) throw new ConfigError('Enter a duration such as 45m, 12h or 30d.')
  return new Date(Date.now() + (await advanceClockOffset(db, milliseconds)))
}
