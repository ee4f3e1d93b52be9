import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocumentedSettings } from '#deploy/testing/read-documented-settings.ts'
import { composeText, readCompose, type Service } from './read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = readCompose()
const services = Object.entries(compose.services)
const siteServices = services.filter(([, { build }]) => build !== undefined)
const dockerfile = read('Dockerfile')
const example = [...read('.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)
const settings = readDocumentedSettings()

test('compose.yaml runs the site by default; the bucket and the monitoring run only with their profiles', () => {
  const profileOf = ({ profiles = [] }: Service) => profiles.join()
  const servicesWithProfile = (profile: string) =>
    services.filter(([, service]) => profileOf(service) === profile).map(([name]) => name)
  expect(servicesWithProfile('')).toEqual([
    'proxy',
    'secrets',
    'migrate',
    'web',
    'worker',
    'database',
    'backup',
  ])
  expect(servicesWithProfile('s3')).toEqual(['s3'])
  expect(servicesWithProfile('observability')).toEqual(['prometheus', 'alertmanager', 'grafana'])
})

test.each(siteServices.filter(([name]) => name !== 'secrets'))(
  'the service %s sets only settings that the site has',
  (_name, { environment = {} }) => {
    expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
  },
)

test.each(siteServices)('the service %s runs a command of the image', (_name, { command }) => {
  if (command === undefined) return
  const [program = '', subcommand = ''] = command
  expect(dockerfile).toMatch(new RegExp(`^COPY .*deploy/image/${program} .*/usr/local/bin/$`, 'm'))
  const script = read(`deploy/image/${program}`)
  if (program === 'cliffhanger') expect(script).toContain(`  ${subcommand})`)
})

test.each(services)('the service %s mounts existing volumes and files', (_name, { build, volumes = [] }) => {
  for (const volume of volumes) {
    // The operator may replace the default file.
    const [from = '', target] = volume.replace(/^\$\{\w+:-(.+?)\}/, '$1').split(':')
    if (from.startsWith('./')) expect(existsSync(join(root, from)), from).toBe(true)
    else expect(compose.volumes).toHaveProperty(from)
    if (build !== undefined) expect(dockerfile).toMatch(new RegExp(`install -d .*${target}\\b`))
  }
})

test.each(services)('the service %s depends on existing services', (_name, { depends_on = {} }) => {
  for (const name of Object.keys(depends_on)) expect(compose.services).toHaveProperty(name)
})

test.each(services.filter(([, { build }]) => build === undefined))(
  'the service %s has no depends_on, because Compose restarts the dependents of a replaced service',
  (_name, service) => {
    expect(service).not.toHaveProperty('depends_on')
  },
)

test('the proxy mounts the folder of its configuration, so that a reload reads an updated file', () => {
  expect(compose.services['proxy']?.volumes).toContain('./deploy/caddy:/etc/caddy:ro')
})

test('the proxy gets the active profiles, because it serves the bucket only with the profile s3', () => {
  expect(compose.services['proxy']?.environment).toMatchObject({
    COMPOSE_PROFILES: '${COMPOSE_PROFILES:-}',
  })
  expect(read('deploy/caddy/Caddyfile')).toContain('"{$COMPOSE_PROFILES}"')
})

test('the proxy and Prometheus send requests to the ports of the site and the bucket', () => {
  expect(dockerfile).toContain('PORT=3000')
  expect(read('deploy/caddy/Caddyfile')).toContain('web:3000')
  expect(read('deploy/caddy/Caddyfile')).toContain('s3:7070')
  for (const [name, { environment = {} }] of siteServices.filter(
    ([, { environment }]) => environment?.['ROLE'],
  ))
    expect(read('deploy/observability/prometheus/prometheus.yml')).toContain(
      `'${name}:${environment['METRICS_PORT']}'`,
    )
})

test('.env.example has every variable of compose.yaml, and its other variables are settings of the site', () => {
  const usedVariables = new Set([...composeText.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name = '']) => name))
  expect([...usedVariables].filter((name) => !example.includes(name))).toEqual([])
  expect(example.filter((name) => !usedVariables.has(name) && !settings.has(name))).toEqual([])
})
