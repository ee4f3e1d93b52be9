/** Thrown if work takes longer than its time-out. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

/** Waits for a promise with a time-out; the work itself may continue. @throws TimedOut */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
