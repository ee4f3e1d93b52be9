import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'
import type { Converter } from './features/media/ingest/convert/programs.ts'
import { isStopSignal, stopThisProcess } from './platform/processes/stop-signals.ts'

const restartMs = 2000
/** The worker is killed then. It ends while requests are finished, and before the database does (stop-signals.ts). */
const stopMs = 6000

export interface Worker {
  stop(): Promise<void>
}

/**
 * Runs the worker beside a single-machine site. Starts it again after a crash; a stop signal to it stops the site. The worker
 * notices when this process dies: its standard input closes. It gets the programs that were found here, to find them once.
 */
export function runWorker(log: Log, programs: Converter): Worker {
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
      if (worker.pid === undefined) startAgain()
    })
    worker.on('exit', (code, signal) => {
      if (stopping) return
      // One that has begun passes the signal on by itself.
      if (isStopSignal(signal)) return stopThisProcess()
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
