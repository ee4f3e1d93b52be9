/** A configuration mistake that the operator can fix. Its message names the setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Invalid command-line arguments. */
export class UsageError extends ConfigError {}

/**
 * Converts a listen error into a ConfigError that names the setting; returns other errors unchanged.
 * @param settings the prefix of the settings' names, such as `METRICS_` of METRICS_PORT
 */
export function explainListenError(
  error: unknown,
  { host, port, settings = '' }: { host: string; port: number; settings?: string },
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `${settings}PORT ${port} is in use on ${host}: stop the other program or set ${settings}PORT to a free port.`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(
      `This user may not listen on ${settings}PORT ${port}: set ${settings}PORT to a number above 1023.`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(
      `${settings}HOST ${host} is not an address of this machine: try 127.0.0.1 or 0.0.0.0.`,
    )
  }
  return error
}

/** The message and exit status of a process that failed. */
interface ExitReport {
  text: string
  status: number
}

/** Maps an error to its message (without a stack for a ConfigError) and its exit status: UsageError 2, others 1. */
export function exitReportOf(error: unknown): ExitReport {
  const status = error instanceof UsageError ? 2 : 1
  if (error instanceof ConfigError) return { text: error.message, status }
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), status }
}

/**
 * Runs an entry point. An error ends the process with a message on stderr and the exit status of `exitReportOf`. If the
 * reader of stdout closes early (such as `head`), the work continues without it.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    await main()
  } catch (error) {
    const { text, status } = exitReportOf(error)
    process.stderr.write(`${text}\n`)
    process.exit(status)
  }
}
