import { spawn, type ChildProcess } from 'node:child_process'
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
    worker.on('error', (error) => log.error({ err: error }, 'The worker could not be started'))
    worker.on('exit', (code, signal) => {
      if (stopping) return
      log.warn({ code, signal }, 'The worker ended; it is started again')
      setTimeout(() => {
        if (!stopping) child = start()
      }, restartMs)
    })
    return worker
  }

  return {
    async stop() {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
