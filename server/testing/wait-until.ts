const pollIntervalMs = 50

/**
 * Repeats a check until it returns true.
 * @throws Error after the timeout, and any error of `condition` immediately
 */
export async function waitUntil(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${description}`)
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
}

/** Returns whether a server responds successfully to a GET request. */
export const isReachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
