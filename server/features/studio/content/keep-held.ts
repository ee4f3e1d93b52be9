import { Refusal } from '#contract/errors.ts'

const foreignKeyViolation = '23503'

/** Deletes what nobody holds: what was bought, or given by an operator, is kept by the rows that name it. @throws Refusal movedOn */
export async function keepHeld<T>(remove: () => Promise<T>): Promise<T> {
  return remove().catch((error: unknown) => {
    if (Object(error).code === foreignKeyViolation) throw new Refusal('movedOn')
    throw error
  })
}
