import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'
import type { Ffmpeg } from '#server/platform/run-ffmpeg-version.ts'

const restartMs = 2000
const stopMs = 10_000

/**
 * Runs the worker beside a single-machine site and starts it again when it ends. It notices by itself when this process
 * dies: its standard input closes. The programs that were found here are handed to it, so that they are looked for once.
 */
export function runWorker(log: Log, programs: Ffmpeg): { stop(): Promise<void> } {
  let stopping = false
  let child: ChildProcess = start()

  function start(): ChildProcess {
    const args = [join(import.meta.dirname, 'worker.ts'), '--parent', '--ffmpeg', JSON.stringify(programs)]
    const worker = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] })
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
