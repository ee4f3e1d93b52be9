const lookEveryMs = 50

/** Polls another process until a condition holds; an error of `holds` ends it. @throws Error after the time-out */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

/** Returns whether a server answers a GET with success. */
export const answersAt = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
