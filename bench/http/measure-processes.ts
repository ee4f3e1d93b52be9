import { makeCallCases, recordAnswers, rowOf } from './call-cases.ts'
import { compareLoad } from './compare-load.ts'
import { startSecondProcess } from '#bench/site/start-second-process.ts'
import { startBareServer } from '#bench/bare/start-bare-server.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import type { Row } from '#bench/result-table.ts'

const secondBarePort = 3915
/**
 * Maximum number of database connections of each bare server: enough to keep two cores busy, but few enough for the
 * database while all four processes run.
 */
const bareConnections = 8

/** The most frequent requests of a visit. */
const few = /^\/api\/(homepage|video|video\/episode|user\/history)(\?(id|video_id)=\w+)?$/

/**
 * Measures a few requests at two processes with one database, each with half of the clients. Compares two processes of
 * the site with two bare servers.
 */
export async function measureProcesses(site: BenchSite): Promise<Row[]> {
  const cases = (await makeCallCases(site)).filter(({ path, who }) => few.test(path) && who !== 'guest')
  const answers = await recordAnswers(site, cases)
  const options = { answers, files: site.home, connection: site.connection, connections: bareConnections }
  const [another, ...bare] = await Promise.all([
    startSecondProcess(site),
    startBareServer(options),
    startBareServer(options, secondBarePort),
  ])
  try {
    const rows: Row[] = []
    for (const [index, each] of cases.entries()) {
      const headers = { cookie: each.cookie }
      const result = await compareLoad(
        { urls: [site, another].map(({ url }) => url + each.path), headers },
        { urls: bare.map(({ url }) => `${url}/answer/${index}`), headers },
      )
      rows.push(rowOf(each, result, '2 processes: '))
    }
    return rows
  } finally {
    await Promise.all([another, ...bare].map((process) => process.close()))
  }
}
