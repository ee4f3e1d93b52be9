import type { Config, Role } from '#server/platform/config/config.ts'
import type { LoggedError } from '#server/platform/log.ts'
import { withTimeout } from '#server/platform/with-timeout.ts'
import type { ErrorReporter } from './report-errors.ts'

/** Telemetry that a process sends to the operator's own tools. */
export interface Telemetry {
  /** Reports logged errors. Undefined if error reports are disabled. */
  onError: ((error: LoggedError) => void) | undefined
  /** Flushes remaining data, within a second. */
  close(): Promise<void>
}

const closesWithinMs = 1000
const crashReportMs = 2000

/**
 * Starts the configured telemetry. Must be called before the site's modules are imported. Loads the libraries only if
 * telemetry is enabled.
 * @param role the role of this process
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
      // Limits how long an unavailable collector delays the shutdown.
      const sent = Promise.all([stopTracing?.(), errors?.flush(closesWithinMs)])
      await withTimeout(closesWithinMs, sent).catch(() => {})
    },
  }
}

/** Prints an uncaught error and exits with status 1, as Node does. Reports the error before the exit. */
function reportCrash(errors: ErrorReporter): void {
  process.once('uncaughtException', (error: unknown) => {
    const message = 'the process ended'
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    errors.report({ err: error, message, fields: {} })
    void errors.flush(crashReportMs).finally(() => process.exit(1))
  })
}
