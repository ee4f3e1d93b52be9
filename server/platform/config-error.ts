/** A set-up mistake the operator can mend. The message is one clear sentence that names the setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** What was typed cannot be understood. */
export class UsageError extends ConfigError {}

/**
 * Turns what went wrong while listening into a sentence that names the setting; other errors come back as they are.
 * @param settings the prefix of the settings' names, such as `METRICS_` of METRICS_PORT
 */
export function explainListenError(
  error: unknown,
  { host, port, settings = '' }: { host: string; port: number; settings?: string },
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `${settings}PORT ${port} is in use on ${host}: stop the other program or set ${settings}PORT to a free one.`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(
      `${settings}PORT ${port} needs more rights than this user has: set ${settings}PORT to one above 1023.`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(
      `${settings}HOST ${host} is not an address of this machine: try 127.0.0.1 or 0.0.0.0.`,
    )
  }
  return error
}

/**
 * Runs an entry point. A `ConfigError` ends the process with its sentence and status 1, without a stack, a `UsageError` with status 2;
 * any other error with its stack.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    const text =
      error instanceof ConfigError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)
    process.stderr.write(`${text}\n`)
    process.exit(error instanceof UsageError ? 2 : 1)
  }
}
