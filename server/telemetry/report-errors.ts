import { createStackParser, createTransport, linkedErrorsIntegration, Scope } from '@sentry/core'
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server'
import { environmentOf } from '#contract/error-reports.ts'
import type { Config, Role } from '#server/platform/config/config.ts'
import type { LoggedError } from '#server/platform/log.ts'
import { siteVersion } from '#server/platform/site-version.ts'
import { createReportScrubber, listSecrets } from './scrub-server-report.ts'

/**
 * Time-out of a report. A report that the server has not accepted by then is dropped, because it is not worth a retry.
 */
const timeoutMs = 5000
/** Maximum reports in flight; further ones are dropped. */
const maxConcurrent = 8
const maxPerMinute = 30
const minuteMs = 60_000

/** Reports errors of this process. */
export interface ErrorReporter {
  report(error: LoggedError): void
  /** Waits until reports in flight are sent, for at most `milliseconds`. */
  flush(milliseconds: number): Promise<void>
}

/** Opens the reporter to `dsn` for the errors of this process. */
export function openErrorReporter(config: Config, dsn: string, role: Role): ErrorReporter {
  const client = new ServerRuntimeClient({
    dsn,
    environment: environmentOf(new URL(config.publicUrl).host, config.sentry.sandboxHostSuffix),
    release: siteVersion,
    platform: 'node',
    runtime: { name: 'node', version: process.version },
    stackParser: createStackParser(nodeStackLineParser()),
    integrations: [linkedErrorsIntegration()],
    transport: (options) =>
      createTransport({ ...options, bufferSize: maxConcurrent }, ({ body }) => post(options, body)),
    sendClientReports: false,
  })
  client.init()
  // This event covers every kind of report, so none leaves the process with secrets.
  client.on('beforeEnvelope', createReportScrubber(listSecrets(config)))
  const shouldSend = createReportThrottle()
  return {
    report({ err, message, fields }) {
      const text = err instanceof Error ? `${err.name}: ${err.message}` : message
      if (!shouldSend(text, Date.now())) return
      const scope = new Scope()
      scope.setClient(client)
      scope.setTag('role', role)
      scope.setExtras({ ...fields, log: message })
      if (err instanceof Error) scope.captureException(err)
      else scope.captureMessage(message, 'error')
    },
    flush: async (milliseconds) => void (await client.flush(milliseconds)),
  }
}

interface Destination {
  url: string
  headers?: Record<string, string>
}

async function post({ url, headers = {} }: Destination, body: string | Uint8Array) {
  const response = await fetch(url, {
    method: 'POST',
    // Copies the bytes, because the type of fetch excludes memory that threads share.
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.body?.cancel()
  return {
    statusCode: response.status,
    headers: {
      'x-sentry-rate-limits': response.headers.get('x-sentry-rate-limits'),
      'retry-after': response.headers.get('retry-after'),
    },
  }
}

/**
 * Creates a function that allows one report a minute for the same error, and `maxPerMinute` reports a minute in total.
 * Without the limits, there would be a report for each call while the database is unavailable.
 */
export function createReportThrottle(): (text: string, now: number) => boolean {
  let since = -Infinity
  const seen = new Set<string>()
  return (text, now) => {
    if (now - since >= minuteMs) {
      since = now
      seen.clear()
    }
    if (seen.has(text) || seen.size >= maxPerMinute) return false
    seen.add(text)
    return true
  }
}
