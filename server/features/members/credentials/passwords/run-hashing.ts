import { Worker } from 'node:worker_threads'

/** A password to hash, or to verify against a known hash. */
export interface HashingJob {
  password: string
  knownHash?: string
}
export type HashingResult = { result: string | boolean } | { problem: string }

/**
 * Idle threads, with the timers that end them. A thread takes 20 MB, so no thread is started before the first password.
 */
const idleThreads = new Map<Worker, NodeJS.Timeout>()
const idleTimeoutMs = 30_000

/**
 * Hashes or verifies a password in a low-priority thread (hashing-thread.ts). Node's own thread pool is not used: its
 * threads cannot have a low priority, and it also serves files and DNS. The caller limits the concurrency.
 * @throws Error if the hash is damaged, or the thread ends
 */
export async function runHashing(job: HashingJob): Promise<string | boolean> {
  const [thread = startThread()] = idleThreads.keys()
  clearTimeout(idleThreads.get(thread))
  idleThreads.delete(thread)
  const outcome = await runInThread(thread, job)
  idleThreads.set(thread, setTimeout(() => terminateThread(thread), idleTimeoutMs).unref())
  if ('problem' in outcome) throw new Error(outcome.problem)
  return outcome.result
}

function terminateThread(thread: Worker): void {
  // Removes the thread first, so that no job uses a thread that is ending.
  idleThreads.delete(thread)
  void thread.terminate()
}

function startThread(): Worker {
  const thread = new Worker(new URL('./hashing-thread.ts', import.meta.url))
  // Without a listener, the error event would end this process. The pending job receives the error from another
  // listener.
  thread.on('error', () => {}).once('exit', () => idleThreads.delete(thread))
  return thread
}

/** Runs a job. A busy thread keeps the process alive; an idle thread does not. */
function runInThread(thread: Worker, job: HashingJob): Promise<HashingResult> {
  return new Promise((resolve, reject) => {
    const ended = (cause: unknown) => reject(new Error('the hashing thread ended', { cause }))
    thread.ref()
    thread.once('error', ended).once('exit', ended)
    thread.once('message', (done: HashingResult) => {
      thread.off('error', ended).off('exit', ended).unref()
      resolve(done)
    })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(job)
  })
}
