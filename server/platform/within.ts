/** What took longer than it may. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** Waits for something so long and no longer; it may go on by itself. @throws NoAnswer */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
