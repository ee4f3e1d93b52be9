import type { CDPSession, Page } from '@playwright/test'

/** Activity of a page's main thread, per second: milliseconds and counts. */
export interface MainThread {
  taskMs: number
  scriptMs: number
  layouts: number
}

/**
 * Measures a page's main thread for `seconds`. Measures CPU time, because other load on the machine does not change it.
 */
export async function measureMainThread(page: Page, seconds: number): Promise<MainThread> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await readMetrics(devtools)
  await page.waitForTimeout(seconds * 1000)
  const after = await readMetrics(devtools)
  await devtools.detach()
  const eachSecond = (name: string) => {
    const between = (after.get(name) ?? Number.NaN) - (before.get(name) ?? Number.NaN)
    const measured = (after.get('Timestamp') ?? Number.NaN) - (before.get('Timestamp') ?? Number.NaN)
    return between / measured
  }
  return {
    taskMs: eachSecond('TaskDuration') * 1000,
    scriptMs: eachSecond('ScriptDuration') * 1000,
    layouts: eachSecond('LayoutCount'),
  }
}

async function readMetrics(devtools: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}
