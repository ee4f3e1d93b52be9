import { runCommandLine } from '#server/cli/command-line.ts'
import { runMain } from './platform/config/config-error.ts'
import { onStopSignal } from './platform/processes/stop-signals.ts'

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  onStopSignal(() => stop.abort())
  return stop.signal
}

await runMain(async () => {
  process.exitCode = await runCommandLine(process.argv.slice(2), { env: process.env, stopSignal })
})
