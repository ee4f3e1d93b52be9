import { loadConfig } from '#server/platform/config.ts'
import { runMain } from '#server/platform/config-error.ts'

// A process loads the code of its role alone, which saves memory.
await runMain(async () => {
  const config = loadConfig(process.env)
  if (config.role === 'worker') return (await import('#server/start-worker.ts')).startWorker()
  return (await import('#server/start-site.ts')).startSite(config)
})
