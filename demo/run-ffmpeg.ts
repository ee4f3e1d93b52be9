import { spawn } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'

type Run = {
  ffmpegPath: string
  signal: AbortSignal
  /** The niceness of ffmpeg. If this process has a higher one, ffmpeg inherits it, because only root may lower it. */
  niceness?: number
  /**
   * Timeout in milliseconds. Rendering takes a few seconds; the default of three minutes is for slow or busy machines.
   */
  timeout?: number
}

/**
 * Runs ffmpeg until it exits. Rejects with ffmpeg's last output if it fails. After a timeout or an abort, kills ffmpeg
 * and rejects with the reason. Does not retry, because the site renders missing episodes at its next start.
 */
export function runFfmpeg(
  args: readonly string[],
  { ffmpegPath, signal, niceness = 0, timeout = 180_000 }: Run,
): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const child = spawn(ffmpegPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: limit,
      killSignal: 'SIGKILL',
    })
    if (child.pid !== undefined && getPriority() < niceness) setPriority(child.pid, niceness)
    let errorOutput = ''
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (errorOutput = (errorOutput + text).slice(-2000)))
    child.on('error', (error) =>
      reject(limit.aborted ? limit.reason : new Error(`${ffmpegPath} could not be run: ${error.message}`)),
    )
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(
            limit.aborted ? limit.reason : new Error(`ffmpeg ended with ${code}: ${errorOutput.trim()}`),
          ),
    )
  })
}
