import { execFile, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** The exit signal and output of a script. */
export interface ScriptResult {
  signal: string | null
  stdout: string
}

/** A script that runs longer is ended, because it hangs. On a busy machine, a conversion takes minutes. */
const longestRunMs = 300_000

/**
 * Runs a script of this folder in a separate process. The process inherits no environment variable except the setting
 * of the compile cache. `onStart` receives the process.
 */
export function runScript(
  name: string,
  args: readonly string[],
  onStart: (process: ChildProcess) => void = () => {},
): Promise<ScriptResult> {
  const script = join(import.meta.dirname, name)
  return new Promise((resolve) => {
    // The scripts find ffmpeg on the PATH.
    const { NODE_COMPILE_CACHE, PATH } = process.env
    const options = { timeout: longestRunMs, env: { NODE_COMPILE_CACHE, PATH } }
    const child = execFile(process.execPath, [script, ...args], options, (error, stdout) =>
      resolve({ signal: error?.signal ?? null, stdout }),
    )
    onStart(child)
  })
}
