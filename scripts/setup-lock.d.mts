/**
 * Does the work while no other process does any under the same lock, and waits as long as one does. What a process that is gone
 * has left is taken over.
 * @param file there while somebody works
 * @param say told once, where another has to be waited for
 */
export function withSetupLock(
  file: string,
  work: () => Promise<void>,
  say: (message: string) => void,
): Promise<void>
