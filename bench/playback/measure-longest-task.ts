import type { Browser, Page } from '@playwright/test'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Duration (`dur`) and CPU time (`tdur`) in microseconds. */
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/** Returns the CPU time in milliseconds of the longest task on the main thread during `run`. */
export async function measureLongestTask(
  browser: Browser,
  page: Page,
  run: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await run()
  const trace = await browser.stopTracing()
  // The cast follows the format of Chromium's traces.
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && mains.has(`${pid} ${tid}`),
  )
  if (tasks.length === 0) throw new Error('The trace contains no tasks of a page')
  return Math.max(...tasks.map(({ dur = 0, tdur = dur }) => tdur)) / 1000
}
