import type { Browser, Page } from '@playwright/test'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds, and those of them that the thread had the processor. */
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/** Milliseconds of processor time of the longest task of the page's main thread during `run`. */
export async function longestTask(browser: Browser, page: Page, run: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await run()
  const trace = await browser.stopTracing()
  // Chromium's own format.
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && mains.has(`${pid} ${tid}`),
  )
  if (tasks.length === 0) throw new Error('The trace holds no tasks of a page')
  return Math.max(...tasks.map(({ dur = 0, tdur = dur }) => tdur)) / 1000
}
