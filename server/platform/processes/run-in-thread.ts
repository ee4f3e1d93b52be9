import { Worker } from 'node:worker_threads'

/** A call of a module's function. Its arguments and result must be values that can be sent between threads. */
export interface ThreadJob {
  module: string
  name: string
  args: unknown[]
}
export type ThreadResult = { result: unknown } | { problem: { name: string; message: string } }
export type ThreadMessage = 'loaded' | ThreadResult

/** Thrown if the work took longer than its deadline, or its thread ended without a result. */
export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded'
}

const defaultDeadlineMs = 3000
/** Time for the thread to start, which a busy machine delays. */
const loadWithinMs = 60_000
const megabytes = 128

/**
 * Runs a function in a thread and terminates it at the deadline, so that a text that takes long to parse delays no
 * other request.
 * @throws DeadlineExceeded, and errors of the function with their name and message
 */
export async function runInThread(job: ThreadJob, deadlineMs = defaultDeadlineMs): Promise<unknown> {
  const thread = new Worker(new URL('./thread-entry.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  })
  const { promise: done, resolve, reject } = Promise.withResolvers<ThreadResult>()
  const rejectAfter = (ms: number) =>
    setTimeout(() => reject(new DeadlineExceeded('the deadline has passed')), ms)
  let timer = rejectAfter(loadWithinMs)
  thread.on('error', reject)
  thread.on('exit', () => reject(new DeadlineExceeded('the thread ended without a result')))
  thread.on('message', (message: ThreadMessage) => {
    clearTimeout(timer)
    if (message === 'loaded') timer = rejectAfter(deadlineMs)
    else resolve(message)
  })
  try {
    const answer = await done
    if ('result' in answer) return answer.result
    throw Object.assign(new Error(answer.problem.message), { name: answer.problem.name })
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
