/**
 * Runs `work` while holding the lock, and waits for another process that holds it. The lock of an exited process is taken
 * over.
 * @param file the lock file, which exists while the lock is held
 * @param say called once with a message, if another process holds the lock
 */
export function withSetupLock(
  file: string,
  work: () => Promise<void>,
  say: (message: string) => void,
): Promise<void>
