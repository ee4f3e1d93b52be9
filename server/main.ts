import { loadConfig } from './platform/config/config.ts'
import { runMain } from './platform/config/config-error.ts'
import { openTelemetry } from '#server/telemetry/open-telemetry.ts'

// A process loads only the code of its role, to save memory.
await runMain(async () => {
  const config = loadConfig(process.env)
  const telemetry = await openTelemetry(config, config.role)
  if (config.role === 'worker')
    return (await import('#server/start-worker.ts')).startWorker(config, telemetry)
  return (await import('#server/start-site.ts')).startSite(config, telemetry)
})
