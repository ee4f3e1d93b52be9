import { systemClock, type Clock } from '#server/platform/clock.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { moveClock, selectAhead } from './queries.ts'

type Gateways = Pick<Config, 'allowSandbox' | 'stripe' | 'paypal'>

/** A process notices within so long that the clock was moved. */
const staleMs = 5000

/** Only where nothing real can be charged may anybody move time. */
const isMovable = ({ allowSandbox, stripe, paypal }: Gateways) => allowSandbox && !stripe && !paypal

/**
 * The clock of a site: the system's, and where only the sandbox is set up, as far ahead as the operator moved it
 * (billing.md: "A clock that tests and the sandbox can move"). How far is in the database, for all processes.
 */
export async function openClock(config: Gateways, db: Db, log: Log): Promise<Clock> {
  if (!isMovable(config)) return systemClock
  let aheadMs = await selectAhead(db)
  let readAt = Date.now()
  const read = () => {
    readAt = Date.now()
    selectAhead(db).then(
      (ahead) => (aheadMs = ahead),
      (error: unknown) => log.debug({ err: error }, 'The sandbox clock could not be read'),
    )
  }
  return {
    now() {
      const now = Date.now()
      if (now - readAt > staleMs) read()
      return new Date(now + aheadMs)
    },
  }
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Moves the clock of a site on by so long (`45m`, `12h`, `30d`). Never back. @returns the time it is then
 * @throws ConfigError where a real gateway is set up, or it is no length of time
 */
export async function forwardClock(config: Gateways, db: Db, length: string | undefined): Promise<Date> {
  if (!isMovable(config))
    throw new ConfigError('The clock can be moved only where the sandbox is the one gateway that is set up.')
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(length ?? '') ?? []
  const milliseconds = Number(count) * (units[unit ?? ''] ?? NaN)
  if (!(milliseconds > 0)) throw new ConfigError('How far? For example 45m, 12h or 30d.')
  return new Date(Date.now() + (await moveClock(db, milliseconds)))
}
