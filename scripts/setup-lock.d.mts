/** What setup-lock.mjs is to TypeScript, which its test is written in. */
export function withSetupLock(
  file: string,
  work: () => Promise<void>,
  say: (message: string) => void,
): Promise<void>
