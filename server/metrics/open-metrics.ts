import type { Context } from '#server/context.ts'
import type { AnsweredCall } from '#server/platform/http/server.ts'

/** What the site tells its metrics. */
export interface SiteMetrics {
  observeCall(call: AnsweredCall): void
  /** @param name of an analytics event */
  countEvent(name: string): void
}

export interface Metrics extends SiteMetrics {
  /** Serves `/metrics` at METRICS_PORT. @throws ConfigError where the port is taken */
  listen(): Promise<void>
  close(): Promise<void>
}

/** Opens the metrics of this process. Undefined without METRICS_PORT: the library is not loaded then. */
export async function openMetrics(context: Context): Promise<Metrics | undefined> {
  if (context.config.metrics === undefined) return undefined
  const { createMetrics } = await import('./create-metrics.ts')
  return createMetrics(context, context.config.metrics)
}
