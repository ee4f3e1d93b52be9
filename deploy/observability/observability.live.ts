import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWithCleanEnv } from '#deploy/release/run-release.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { runPrometheus, runPrometheusTool } from './run-prometheus.ts'

const root = join(import.meta.dirname, '..', '..')
const startsWithinMs = 120_000
const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-observed-'))
let database: TestDatabase
let site: ReturnType<typeof startWithCleanEnv>
let metricsAt: string

beforeAll(async () => {
  database = await createTestDatabase()
  const [port, metricsPort] = [await freePort(), await freePort()]
  metricsAt = `127.0.0.1:${metricsPort}`
  site = startWithCleanEnv(root, [process.execPath, 'server/main.ts'], {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    APP_SECRET: 'a secret of thirty-two characters',
    ROLE: 'web',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  })
  await waitUntil(
    'the site is ready',
    () => isReachable(`http://127.0.0.1:${port}/api/ready`),
    startsWithinMs,
  )
})
afterAll(async () => {
  site.child.kill('SIGTERM')
  if (site.child.exitCode === null) await once(site.child, 'exit')
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const dashboardTexts = () =>
  readdirSync(join(import.meta.dirname, 'grafana')).map((name) => read('grafana', name))

test.each([
  ['promtool', ['check', 'config', 'prometheus/prometheus.yml']],
  ['promtool', ['test', 'rules', 'prometheus/rules.test.yml']],
  ['amtool', ['check-config', 'alertmanager.yml']],
] as const)('%s %o reports no error', (program, args) => {
  expect(runPrometheusTool(program, [...args])).toMatchObject({ status: 0 })
})

test('each alert has a test and a runbook', () => {
  const rules = read('prometheus', 'rules.yml')
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
  const tested = read('prometheus', 'rules.test.yml')
  expect(alerts.filter((name) => !tested.includes(`alertname: ${name}\n        exp_alerts:\n`))).toEqual([])
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, path = '']) => path)
  expect(runbooks).toHaveLength(alerts.length)
  expect(runbooks.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('docs/alerts.md lists each alert with its kind and its runbook', () => {
  const rules = [
    ...read('prometheus', 'rules.yml').matchAll(
      /alert: (\w+)[\s\S]*?severity: (\w+)[\s\S]*?runbook: docs\/(\S+)/g,
    ),
  ].map(([, ...cells]) => cells.join(' '))
  const rows = [
    ...readFileSync(join(root, 'docs', 'alerts.md'), 'utf8').matchAll(
      /^\| `(\w+)` \| (\w+) \| .* \| \[.*\]\((.*)\) \|$/gm,
    ),
  ].map(([, ...cells]) => cells.join(' '))
  expect(rows.toSorted()).toEqual(rules.toSorted())
})

test('Prometheus can parse every query of the dashboards', () => {
  const queries = dashboardTexts().flatMap((text) => {
    const { panels }: { panels: { targets: { expr: string }[] }[] } = JSON.parse(text)
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  })
  expect(queries.length).toBeGreaterThan(20)
  // promtool checks files of rules. JSON is also YAML.
  const file = join(dataDir, 'queries.yml')
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }))
  const { status, output } = runPrometheusTool('promtool', ['check', 'rules', file])
  expect(status, output).toBe(0)
})

/** Returns the names of the metrics that a text uses. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b(?:cliffhanger|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )

async function readExportedMetrics(): Promise<Set<string>> {
  const metrics = await (await fetch(`http://${metricsAt}/metrics`)).text()
  return new Set([...metrics.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name))
}

test('the site exports every metric that an alert or a dashboard uses', async () => {
  const exportedMetrics = await readExportedMetrics()
  const usedMetrics = [read('prometheus', 'rules.yml'), ...dashboardTexts()].flatMap(metricsIn)
  expect(usedMetrics.length).toBeGreaterThan(40)
  expect([...new Set(usedMetrics)].filter((name) => !exportedMetrics.has(name))).toEqual([])
})

test('the dashboards show every metric of the site', async () => {
  const shownMetrics = new Set(dashboardTexts().flatMap(metricsIn))
  const ownMetrics = [...(await readExportedMetrics())].filter((name) => name.startsWith('cliffhanger_'))
  expect(ownMetrics.length).toBeGreaterThan(25)
  expect(ownMetrics.filter((name) => !shownMetrics.has(name))).toEqual([])
})

interface Rules {
  data: { groups: { rules: { name: string; state: string; health: string; lastError?: string }[] }[] }
}

test('Prometheus scrapes the site, and an alert fires for a discrepancy with the gateway', async () => {
  const prometheus = await runPrometheus({ targets: [metricsAt], port: await freePort(), every: '1s' })
  try {
    const value = async (query: string) => {
      const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`)
      const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
      return data.result[0]?.value[1]
    }
    await waitUntil(
      'Prometheus has scraped the site',
      async () => (await value('up')) === '1',
      startsWithinMs,
    )
    await waitUntil(
      'Prometheus has scraped a metric of the database',
      async () => Number(await value('cliffhanger_database_size_bytes')) > 0,
      startsWithinMs,
    )
    await database.pool.query(
      "INSERT INTO payment_discrepancies (gateway, reference, detected_at, abandoned) VALUES ('stripe', 'pi_1', now(), true)",
    )
    const rules = async () => {
      const { data } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as Rules
      return data.groups.flatMap((group) => group.rules)
    }
    const stateOf = async (name: string) => (await rules()).find((rule) => rule.name === name)?.state
    await waitUntil(
      'the alert fires',
      async () => (await stateOf('ReconciliationDifference')) === 'firing',
      startsWithinMs,
    )
    expect(await stateOf('WebhookLag')).toBe('inactive')
    expect((await rules()).filter(({ health }) => health !== 'ok')).toEqual([])
  } finally {
    await prometheus.close()
  }
})
