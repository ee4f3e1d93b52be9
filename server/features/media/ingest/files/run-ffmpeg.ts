import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { RunLimits } from '#server/platform/config/read-ingest.ts'
import { processMemory } from './process-memory.ts'
import { UnusableFile, type UnusableReason } from './unusable-file.ts'

interface RunOptions {
  program: string
  args: string[]
  cwd?: string
  /** Priority of the process: 0 is normal, 19 the lowest. */
  niceness?: number
  limits?: RunLimits | undefined
  /** Maximum duration of the run. */
  timeoutMs: number
  /** A run that prints no line for this long is considered hung. */
  silenceMs?: number
  signal?: AbortSignal
  onLine?: (line: string) => void
}

export interface RunResult {
  status: number | null
  /** The end of the program's output on stderr. */
  stderr: string
}

const gigabyte = 1024 ** 3
const defaultLimits: RunLimits = { cores: undefined, memory: 6 * gigabyte }
const maxFileBytes = 8 * gigabyte
/** Interval at which the memory of a run is checked. */
const memoryCheckMs = 100
/**
 * This is added to the limit of `prlimit`, because that limit also counts memory that is only reserved. Each thread
 * reserves 8 MB for its stack, and ffmpeg starts up to a thousand threads on a large machine.
 */
const reservedMemory = 8 * gigabyte
const maxStderrChars = 8_000

/**
 * Configuration for a statically linked ffprobe. Without it, the names in a transport stream would make ffprobe crash
 * (see gconv-modules).
 */
const characterSets = fileURLToPath(new URL('character-sets', import.meta.url))

const baseTimeoutMs = 10 * 60_000
const silenceMs = 5 * 60_000

/**
 * Returns the limits of a run for a film of `duration` seconds: sixty times its duration plus ten minutes, and five
 * minutes without output.
 */
export function timeLimit(duration: number): Pick<RunOptions, 'timeoutMs' | 'silenceMs'> {
  return { timeoutMs: baseTimeoutMs + 60_000 * duration, silenceMs }
}

/**
 * Runs ffmpeg or ffprobe with limits on time, memory and file size. The program is killed when this process ends, even
 * after a crash. Memory is polled, because after a failed allocation ffmpeg may hang or exit with any message. A failed
 * run is not repeated, because the same file gives the same result. The queue repeats interrupted work.
 * @throws UnusableFile if the run takes too much time or memory, a file becomes too large, or the program crashes
 * @throws Error if the program can't be started or was killed externally
 * @throws the signal's reason when aborted
 */
export async function runLimited(run: RunOptions): Promise<RunResult> {
  run.signal?.throwIfAborted()
  const [command = '', ...args] = buildCommand(run)
  const child = spawn(command, args, {
    cwd: run.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C', GCONV_PATH: characterSets },
    detached: true,
  })
  child.stdin.on('error', () => {})
  const stop = () => kill(child)
  run.signal?.addEventListener('abort', stop)
  let failureReason: UnusableReason | undefined
  const failWith = (reason: UnusableReason) => {
    failureReason ??= reason
    stop()
  }
  const expire = () => failWith({ key: 'tooSlow' })
  const timeoutTimer = setTimeout(expire, run.timeoutMs)
  let silenceTimer = run.silenceMs === undefined ? undefined : setTimeout(expire, run.silenceMs)
  const { memory } = run.limits ?? defaultLimits
  const memoryTimer = setInterval(() => {
    if (child.pid !== undefined && processMemory(child.pid) > memory) failWith({ key: 'tooMuchMemory' })
  }, memoryCheckMs)
  let stderr = ''
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr = (stderr + text).slice(-maxStderrChars)))
  eachLine(child, (line) => {
    silenceTimer = silenceTimer?.refresh()
    run.onLine?.(line)
  })
  try {
    const { status, signal } = await waitForExit(child)
    run.signal?.throwIfAborted()
    if (failureReason) throw new UnusableFile(failureReason)
    if (status !== null && notStartedStatuses.has(status))
      throw new Error(`The converter could not be started: ${stderr.trim()}`)
    if (signal !== undefined) throw signalError(signal)
    return { status, stderr }
  } finally {
    clearTimeout(timeoutTimer)
    clearTimeout(silenceTimer)
    clearInterval(memoryTimer)
    run.signal?.removeEventListener('abort', stop)
  }
}

/**
 * Exit statuses with which shells, loaders and wrapper commands report that a program or its libraries can't be loaded.
 */
const notStartedStatuses = new Set([126, 127])

function eachLine(child: ChildProcess, onLine: (line: string) => void): void {
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(onLine)
  })
  child.stdout?.on('end', () => rest && onLine(rest))
}

interface ExitResult {
  status: number | null
  /** The signal that ended the program, as reported by the system or by the guarding shell. */
  signal: NodeJS.Signals | undefined
}

function waitForExit(child: ChildProcess): Promise<ExitResult> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ status, signal: signal ?? signalOfStatus(status ?? 0) }))
  })
}

/**
 * Returns the signal that an exit status reports. A shell adds 128 to a signal's number. ffmpeg exits with 255 after
 * SIGTERM.
 */
function signalOfStatus(status: number): NodeJS.Signals | undefined {
  if (status === 255) return 'SIGTERM'
  const named = Object.entries(constants.signals).find(([, number]) => number === status - 128)
  return named?.[0] as NodeJS.Signals | undefined
}

/**
 * Converts a signal to an error. A crash is caused by the file and would happen again (`UnusableFile`). A kill by
 * another process, or by a system without free memory, is not caused by the file (`Error`).
 */
function signalError(signal: NodeJS.Signals): Error {
  if (signal === 'SIGXFSZ')
    return new UnusableFile({ key: 'growsTooLarge', gigabytes: maxFileBytes / gigabyte })
  if (['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE'].includes(signal))
    return new UnusableFile({ key: 'converterCrashes' })
  return new Error(`The converter was killed externally (${signal}).`)
}

/** Kills the whole process group, because the program may be a child of the guarding shell. */
function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

const availablePrograms = new Map<string, boolean>()

function isAvailable(...command: [string, ...string[]]): boolean {
  const [program, ...args] = command
  const known =
    availablePrograms.get(program) ??
    spawnSync(program, args, { timeout: 5000, stdio: 'ignore' }).status === 0
  availablePrograms.set(program, known)
  return known
}

/** Replaces setpriv on systems without it. This shell kills the program when the pipe from our process closes. */
const guardScript =
  'exec 3<&0; "$@" </dev/null 3<&- & child=$!; (cat <&3 >/dev/null; kill -KILL $child) >/dev/null 2>&1 & guard=$!; wait $child; status=$?; kill $guard; exit $status'

function buildCommand({ program, args, niceness = 0, limits = defaultLimits }: RunOptions): string[] {
  const bound = isAvailable('setpriv', '--pdeathsig', 'KILL', 'true')
    ? ['setpriv', '--pdeathsig', 'KILL']
    : ['/bin/sh', '-c', guardScript, 'sh']
  const limited = isAvailable('prlimit', '--data', 'true')
    ? ['prlimit', `--data=${limits.memory + reservedMemory}`, `--fsize=${maxFileBytes}`, '--core=0']
    : []
  const nice = niceness > 0 && isAvailable('nice', 'true') ? ['nice', '-n', String(niceness)] : []
  return [...bound, ...limited, ...coreLimitArgs(limits.cores), ...nice, program, ...args]
}

/**
 * Restricts all runs together to the last `maxCores` of the cores that this process may use. The other cores remain
 * free for requests.
 */
function coreLimitArgs(maxCores: number | undefined): string[] {
  if (maxCores === undefined || !isAvailable('taskset', '--version')) return []
  const cores = allowedCores(readFileSync('/proc/self/status', 'utf8'))
  return cores.length > maxCores ? ['taskset', '-c', cores.slice(-maxCores).join(',')] : []
}

/** Parses the allowed cores from a process's Linux status. "0-2,5" is 0, 1, 2 and 5. */
export function allowedCores(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status)?.[1] ?? ''
  return list.split(',').flatMap((part) => {
    const [from = NaN, to = from] = part.split('-').map(Number)
    return Number.isNaN(from) ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

/**
 * Parses the number of finished frames of the largest rendition from a line of ffmpeg's `-progress` output. Returns
 * undefined for other lines. Progress is counted in frames, because HLS outputs report no times.
 */
export function parseFrameCount(line: string): number | undefined {
  const [, frames] = /^frame=\s*(\d+)\s*$/.exec(line) ?? []
  return frames === undefined ? undefined : Number(frames)
}
