import type { Context } from '#server/context.ts'
import type { Metrics } from './create-metrics.ts'

/** Opens the metrics of this process. Without METRICS_PORT, returns undefined and does not load the metrics library. */
export async function openMetrics(context: Context): Promise<Metrics | undefined> {
  if (context.config.metrics === undefined) return undefined
  const { createMetrics } = await import('./create-metrics.ts')
  return createMetrics(context, context.config.metrics)
}
