import type { Config, Role } from '#server/platform/config/config.ts'
import type { LoggedError } from '#server/platform/log.ts'
import { withTimeout } from '#server/platform/with-timeout.ts'
import type { ErrorReporter } from './report-errors.ts'

/** What a process sends to the operator's own tools. */
export interface Telemetry {
  /** Reports what the log has as an error. Undefined where nobody wants to hear. */
  onError: ((error: LoggedError) => void) | undefined
  /** Sends what is left, within a second. */
  close(): Promise<void>
}

const closesWithinMs = 1000
const crashReportMs = 2000

/**
 * Opens what the settings ask for, before the site's modules are imported. The libraries are loaded only then.
 * @param role what this process does
 */
export async function openTelemetry(config: Config, role: Role): Promise<Telemetry> {
  const { tracing, sentry } = config
  const stopTracing = tracing ? (await import('./start-tracing.ts')).startTracing(tracing) : undefined
  const errors = sentry.dsn
    ? (await import('./report-errors.ts')).openErrorReporter(config, sentry.dsn, role)
    : undefined
  if (errors) reportCrash(errors)
  return {
    onError: errors?.report,
    async close() {
      // A collector that is away holds up no stop.
      const sent = Promise.all([stopTracing?.(), errors?.flush(closesWithinMs)])
      await withTimeout(closesWithinMs, sent).catch(() => {})
    },
  }
}

/** Reports an error that ends the process, and ends it as Node would. */
function reportCrash(errors: ErrorReporter): void {
  process.once('uncaughtException', (error: unknown) => {
    const message = 'the process ended'
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    errors.report({ err: error, message, fields: {} })
    void errors.flush(crashReportMs).finally(() => process.exit(1))
  })
}
