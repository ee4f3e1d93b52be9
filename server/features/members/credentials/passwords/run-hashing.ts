import { Worker } from 'node:worker_threads'

/** A password to hash, or to hold against a known hash. */
export interface HashingJob {
  password: string
  known?: string
}
export type HashingDone = { result: string | boolean } | { problem: string }

/** Those that have nothing to do, with what ends them after a while. The first is started by the first password: it takes 20 MB. */
const idle = new Map<Worker, NodeJS.Timeout>()
const restMs = 30_000

/**
 * Hashes in a thread of its own, which steps back behind everything else (hashing-thread.ts): Node's own pool, which also
 * reads files and looks up names, cannot. The caller bounds how many at once.
 * @throws Error if the hash is damaged, or the thread ends
 */
export async function runHashing(job: HashingJob): Promise<string | boolean> {
  const [thread = startThread()] = idle.keys()
  clearTimeout(idle.get(thread))
  idle.delete(thread)
  const done = await doneBy(thread, job)
  idle.set(thread, setTimeout(() => end(thread), restMs).unref())
  if ('problem' in done) throw new Error(done.problem)
  return done.result
}

function end(thread: Worker): void {
  // Nobody is given it any more.
  idle.delete(thread)
  void thread.terminate()
}

function startThread(): Worker {
  const thread = new Worker(new URL('./hashing-thread.ts', import.meta.url))
  // Callers that wait for it get the error, too.
  thread.on('error', () => {}).once('exit', () => idle.delete(thread))
  return thread
}

/** A thread at work keeps the process alive, an idle one does not. */
function doneBy(thread: Worker, job: HashingJob): Promise<HashingDone> {
  return new Promise((resolve, reject) => {
    const ended = (cause: unknown) => reject(new Error('the hashing thread ended', { cause }))
    thread.ref()
    thread.once('error', ended).once('exit', ended)
    thread.once('message', (done: HashingDone) => {
      thread.off('error', ended).off('exit', ended).unref()
      resolve(done)
    })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(job)
  })
}
