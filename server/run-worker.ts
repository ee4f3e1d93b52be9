import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'

const restartMs = 2000
const stopMs = 10_000

/**
 * Runs the worker beside a single-machine site and starts it again when it ends. It notices by itself when this process
 * dies: its standard input closes.
 */
export function runWorker(log: Log): { stop(): Promise<void> } {
  let stopping = false
  let child: ChildProcess = start()

  function start(): ChildProcess {
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), '--parent'], {
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    worker.on('error', (error) => {
      log.error({ err: error }, 'The worker could not be started')
      if (worker.pid === undefined) startAgain()
    })
    worker.on('exit', (code, signal) => {
      if (stopping) return
      log.warn({ code, signal }, 'The worker ended; it is started again')
      startAgain()
    })
    return worker
  }

  function startAgain() {
    setTimeout(() => {
      if (!stopping) child = start()
    }, restartMs)
  }

  return {
    async stop() {
      stopping = true
      // One that never began has no end to wait for.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) if (await endsBy(child, signal)) return
    },
  }
}

async function endsBy(child: ChildProcess, signal: NodeJS.Signals): Promise<boolean> {
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(stopMs) })
  child.kill(signal)
  return ended.then(
    () => true,
    () => false,
  )
}
