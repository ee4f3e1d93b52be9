/**
 * Runs `work` while holding the lock. Waits while another process holds the lock, and takes over the lock of a process
 * that has exited.
 * @param file the lock file, which exists while the lock is held
 * @param say called once with a message if another process holds the lock
 */
export function withSetupLock(
  file: string,
  work: () => Promise<void>,
  say: (message: string) => void,
): Promise<void>
