const lookEveryMs = 50

/** Waits for another process until something holds; what `holds` throws ends it. @throws Error that it was not so in time */
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

/** Whether a server answers a GET with success. */
export const answersAt = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
