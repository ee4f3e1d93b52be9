import { runMain } from '#server/platform/config-error.ts'
import { startWorker } from '#server/start-worker.ts'

await runMain(startWorker)
