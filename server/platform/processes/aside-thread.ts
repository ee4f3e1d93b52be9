import { parentPort, workerData } from 'node:worker_threads'
import type { AsideDone, AsideJob, AsideSaid } from './run-aside.ts'

// Set by run-aside.ts.
const { module, name, args } = workerData as AsideJob
const functions: Record<string, (...given: unknown[]) => unknown> = await import(module)

say('loaded')
say(work())

function say(said: AsideSaid): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(said)
}

function work(): AsideDone {
  try {
    return { result: functions[name]?.(...args) }
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error))
    return { problem: { name: kind, message } }
  }
}
