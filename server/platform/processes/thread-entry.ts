import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadResult, ThreadJob, ThreadMessage } from './run-in-thread.ts'

// The cast is safe: run-in-thread.ts sets this value.
const { module, name, args } = workerData as ThreadJob
const functions: Record<string, (...args: unknown[]) => unknown> = await import(module)

post('loaded')
post(runJob())

function post(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message)
}

function runJob(): ThreadResult {
  try {
    return { result: functions[name]?.(...args) }
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error))
    return { problem: { name: kind, message } }
  }
}
