import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readCompose } from './read-compose.ts'

/** The parts of Grafana's dashboard model that the dashboards use. */
interface Dashboard {
  uid: string
  title: string
  schemaVersion: number
  templating: { list: { name: string; type: string; query: string }[] }
  panels: {
    id: number
    title: string
    type: string
    datasource: { type: string; uid: string }
    gridPos: { h: number; w: number; x: number; y: number }
    targets: { refId: string; expr: string; legendFormat: string }[]
  }[]
}

const root = join(import.meta.dirname, '..', '..')
const { services } = readCompose()
const mounts = new Map(
  (services['grafana']?.volumes ?? []).map((volume) => {
    const [from = '', to = ''] = volume.split(':')
    return [to, from] as const
  }),
)
/** Returns the file that is mounted at this path in the service `grafana`. */
const mountedAt = (path: string) => join(root, mounts.get(path) ?? '')

interface Sources {
  datasources: [{ type: string; url: string }]
}
interface Providers {
  providers: [{ options: { path: string } }]
}
const readYaml = (path: string) => parse(readFileSync(mountedAt(path), 'utf8'))
const sources: Sources = readYaml('/etc/grafana/provisioning/datasources/prometheus.yml')
const providers: Providers = readYaml('/etc/grafana/provisioning/dashboards/cliffhanger.yml')
const [source] = sources.datasources
const [provider] = providers.providers
const folder = mountedAt(provider.options.path)
const dashboards = readdirSync(folder).map((name) => {
  const dashboard: Dashboard = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return { name, dashboard }
})
const duplicatesOf = <T>(values: T[]) => values.filter((value, index) => values.indexOf(value) !== index)

test('Grafana reads from the service prometheus by default', () => {
  expect(services).toHaveProperty(new URL(source.url).hostname)
  expect(source).toMatchObject({ type: 'prometheus', access: 'proxy', isDefault: true })
})

test('Grafana loads all dashboards from files, and no two have the same uid', () => {
  expect(provider).toMatchObject({ name: 'Cliffhanger', type: 'file' })
  expect(dashboards.map(({ name }) => name)).toEqual([
    'database.json',
    'ingest.json',
    'money.json',
    'playback.json',
    'viewers.json',
  ])
  expect(duplicatesOf(dashboards.map(({ dashboard }) => dashboard.uid))).toEqual([])
})

test.each(dashboards)('$name has valid panels, which read from the chosen data source', ({ dashboard }) => {
  const { uid, title, schemaVersion, templating, panels } = dashboard
  // Grafana's limit for the uid.
  expect(uid).toMatch(/^[\w-]{1,40}$/)
  expect(title).toMatch(/^Cliffhanger: /)
  expect(schemaVersion).toBeGreaterThan(0)
  expect(templating.list).toMatchObject([{ name: 'datasource', type: 'datasource', query: source.type }])
  expect(duplicatesOf(panels.map(({ id }) => id))).toEqual([])
  for (const { title: panelTitle, type, datasource, targets } of panels) {
    expect(type).toBe('timeseries')
    expect(datasource).toEqual({ type: source.type, uid: '${datasource}' })
    expect(targets.length, panelTitle).toBeGreaterThan(0)
    expect(duplicatesOf(targets.map(({ refId }) => refId))).toEqual([])
    // An aggregation keeps only the labels that it names.
    for (const { legendFormat, expr } of targets.filter((target) => target.expr.includes(' by (')))
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(expr, panelTitle).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`))
  }
})

test.each(dashboards)('the panels of $name fit into the grid without an overlap', ({ dashboard }) => {
  const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, cell) => ({ x: x + (cell % w), y: y + Math.floor(cell / w) })),
  )
  expect(Math.max(...cells.map(({ x }) => x))).toBeLessThan(24)
  expect(duplicatesOf(cells.map(({ x, y }) => `${x} ${y}`))).toEqual([])
})
