const pollIntervalMs = 50

/** Polls another process until a condition holds; an error of `condition` ends it. @throws Error after the time-out */
export async function waitUntil(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not in time: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
}

/** Returns whether a server answers a GET with success. */
export const isReachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
