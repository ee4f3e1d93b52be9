import type { Context } from '#server/context.ts'
import type { Metrics } from './create-metrics.ts'

/** Opens the metrics of this process. Undefined without METRICS_PORT: the library is not loaded then. */
export async function openMetrics(context: Context): Promise<Metrics | undefined> {
  if (context.config.metrics === undefined) return undefined
  const { createMetrics } = await import('./create-metrics.ts')
  return createMetrics(context, context.config.metrics)
}
