import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'
import type { Converter } from './features/media/ingest/convert/programs.ts'
import { isStopSignal, stopThisProcess } from './platform/processes/stop-signals.ts'

const restartMs = 2000
/**
 * The worker is killed after this time. It stops while the site finishes its requests, and must have ended before the
 * database stops (stop-signals.ts).
 */
const stopMs = 6000

export interface WorkerSupervisor {
  stop(): Promise<void>
}

/**
 * Runs the worker process of a single-machine site. Restarts it after a crash; if the worker gets a stop signal, the
 * site stops too. The worker notices the death of this process when its standard input closes. It receives the paths of
 * ffmpeg and ffprobe, so that it need not search for them.
 */
export function superviseWorker(log: Log, programs: Converter): WorkerSupervisor {
  let stopping = false
  let child: ChildProcess = start()

  function start(): ChildProcess {
    const args = [
      join(import.meta.dirname, 'worker.ts'),
      '--parent',
      String(process.pid),
      '--ffmpeg',
      JSON.stringify(programs),
    ]
    const worker = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] })
    worker.on('error', (error) => {
      log.error({ err: error }, 'The worker could not be started')
      if (worker.pid === undefined) restart()
    })
    worker.on('exit', (code, signal) => {
      if (stopping) return
      // The signal ended a worker that did not handle signals yet. A started worker forwards the signal itself.
      if (isStopSignal(signal)) return stopThisProcess()
      log.warn({ code, signal }, 'The worker exited; restarting it')
      restart()
    })
    return worker
  }

  // The site exits before its worker if it was asked to exit at once or has reached its deadline. The worker is killed
  // then.
  process.once('exit', () => {
    if (stopping) child.kill('SIGKILL')
  })

  function restart() {
    setTimeout(() => {
      if (!stopping) child = start()
    }, restartMs)
  }

  return {
    async stop() {
      stopping = true
      // A worker that failed to start has no exit to wait for.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) if (await exitsAfter(child, signal)) return
    },
  }
}

async function exitsAfter(child: ChildProcess, signal: NodeJS.Signals): Promise<boolean> {
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(stopMs) })
  child.kill(signal)
  return ended.then(
    () => true,
    () => false,
  )
}
