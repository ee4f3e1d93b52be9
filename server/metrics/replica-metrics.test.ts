import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { createMetrics, type Metrics } from './create-metrics.ts'

let site: TestSite
let metrics: Metrics
let url: string

beforeAll(async () => {
  const database = await createTestDatabase()
  const replicas = () => [
    { name: 'replica-1:5432', used: true, lagSeconds: 0.5 },
    { name: 'replica-2:5432', used: false, lagSeconds: undefined },
  ]
  site = await startTestSite({ database: { ...database, replicas } })
  const address = { host: '127.0.0.1', port: await freePort() }
  url = `http://${address.host}:${address.port}/metrics`
  metrics = createMetrics(site.context, address)
  await metrics.listen()
})
afterAll(async () => {
  await metrics.close()
  await site.close()
})

it('reports whether each replica is in use, and its lag if known', async () => {
  const text = await (await fetch(url)).text()
  expect(text.split('\n').filter((line) => line.startsWith('cliffhanger_read_replica_'))).toEqual([
    'cliffhanger_read_replica_lag_seconds{replica="replica-1:5432"} 0.5',
    'cliffhanger_read_replica_used{replica="replica-1:5432"} 1',
    'cliffhanger_read_replica_used{replica="replica-2:5432"} 0',
  ])
})
