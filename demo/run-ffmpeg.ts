import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'

type Run = {
  ffmpegPath: string
  signal: AbortSignal
  niceness?: number
  /** In ms. A master takes a few seconds; the default of three minutes allows for a slow or busy machine. */
  timeout?: number
}

/**
 * Runs ffmpeg until it exits. Rejects with its last output when it fails or times out, and with the signal's reason when
 * aborted; the child is killed in both cases. Not retried here: the master is rendered again at the next start.
 */
export function runFfmpeg(
  args: readonly string[],
  { ffmpegPath, signal, niceness, timeout = 180_000 }: Run,
): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const child = spawn(ffmpegPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: limit,
      killSignal: 'SIGKILL',
    })
    if (niceness !== undefined && child.pid !== undefined) setPriority(child.pid, niceness)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
    child.on('error', (error) =>
      reject(limit.aborted ? limit.reason : new Error(`${ffmpegPath} could not be run: ${error.message}`)),
    )
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(limit.aborted ? limit.reason : new Error(`ffmpeg ended with ${code}: ${said.trim()}`)),
    )
  })
}
