import { makeCallCases, recordAnswers, rowOf } from './call-cases.ts'
import { compareLoad } from './compare-load.ts'
import { startBareServer } from '#bench/bare/start-bare-server.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import type { Row } from '#bench/result-table.ts'

/**
 * Measures the requests per second of each case in `makeCallCases`. Compares this rate with the rate of a bare route
 * that sends the same bytes after the same number of indexed look-ups.
 */
export async function measureCalls(site: BenchSite): Promise<Row[]> {
  const cases = await makeCallCases(site)
  const answers = await recordAnswers(site, cases)
  const bare = await startBareServer({ answers, files: site.home, connection: site.connection })
  try {
    const rows: Row[] = []
    for (const [index, each] of cases.entries()) {
      const headers = { cookie: each.cookie }
      const result = await compareLoad(
        { urls: [`${site.url}${each.path}`], headers },
        { urls: [`${bare.url}/answer/${index}`], headers },
      )
      rows.push(rowOf(each, result))
    }
    return rows
  } finally {
    await bare.close()
  }
}
