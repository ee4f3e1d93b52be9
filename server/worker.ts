import { loadConfig } from '#server/platform/config.ts'
import { runMain } from '#server/platform/config-error.ts'
import { openTelemetry } from '#server/telemetry/open-telemetry.ts'

await runMain(async () => {
  const config = loadConfig(process.env)
  const telemetry = await openTelemetry(config, 'worker')
  await (await import('#server/start-worker.ts')).startWorker(config, telemetry)
})
