import { hashSync, verifySync } from '@node-rs/argon2'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { HashingResult, HashingJob } from './run-hashing.ts'

const niceness = 10

/**
 * Lowers the thread's priority, so that other calls are served first. On Linux, a priority applies to the calling
 * thread; on other systems it would apply to the whole process. If the site was started with a lower priority (`nice`),
 * the thread keeps that priority, because only a privileged process may raise it.
 */
if (process.platform === 'linux' && getPriority() < niceness) setPriority(niceness)

/** Options of Argon2id, the library's default variant: 19 MiB, two passes and one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

parentPort?.on('message', ({ password, knownHash }: HashingJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(hashOrVerify(password, knownHash))
})

function hashOrVerify(password: string, knownHash: string | undefined): HashingResult {
  try {
    return { result: knownHash === undefined ? hashSync(password, cost) : verifySync(knownHash, password) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'the password could not be hashed' }
  }
}
