import { loadConfig } from './platform/config/config.ts'
import { runMain } from './platform/config/config-error.ts'
import { openTelemetry } from '#server/telemetry/open-telemetry.ts'

await runMain(async () => {
  const config = loadConfig(process.env)
  const telemetry = await openTelemetry(config, 'worker')
  await (await import('#server/start-worker.ts')).startWorker(config, telemetry)
})
