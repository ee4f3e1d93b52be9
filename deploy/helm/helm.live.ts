import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as batch from 'kubernetes-models/batch/v1'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readDocumentedSettings } from '#deploy/testing/read-documented-settings.ts'
import { lintChart, renderChart } from './run-helm.ts'

interface Probe {
  httpGet: { path: string; port: string }
}

interface Container {
  command?: string[]
  env: { name: string; value: string }[]
  envFrom: { secretRef: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  readinessProbe?: Probe
  livenessProbe?: Probe
  securityContext: Record<string, unknown>
}

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec: {
    replicas?: number
    template: {
      metadata: { annotations?: Record<string, string> }
      spec: { containers: Container[]; securityContext: Record<string, unknown> }
    }
  }
}

type Model = new (manifest: never) => { validate(): void }

const models: Record<string, Record<string, unknown>> = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'monitoring.coreos.com/v1': monitoring,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
}

const requiredValues = {
  'secrets.DATABASE_URL': 'postgres://db.example/site',
  'secrets.APP_SECRET': 'secret',
}
const allValues = {
  ...requiredValues,
  'serviceMonitor.enabled': 'true',
  'networkPolicy.ingressNamespace.name': 'ingress',
}

const render = (values: Record<string, string>): Manifest[] =>
  parseAllDocuments(renderChart(values))
    .map((document): Manifest | null => document.toJS())
    .filter((manifest) => manifest !== null)

const kindsOf = (manifests: Manifest[]) => manifests.map(({ kind }) => kind).toSorted()

/** Returns the containers of all Deployments and Jobs. Each container gets the name of its Deployment or Job. */
const containersIn = (manifests: Manifest[]) =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .flatMap(({ metadata, spec }) =>
      spec.template.spec.containers.map((container) => ({ ...container, name: metadata.name })),
    )

function validate(manifest: Manifest): void {
  // The packages' models are classes with this constructor.
  const model = models[manifest.apiVersion]?.[manifest.kind] as Model | undefined
  if (!model) throw new Error(`${manifest.apiVersion} ${manifest.kind} is not a Kubernetes resource`)
  new model(manifest as never).validate()
}

it('helm lints the chart without a warning', () => {
  expect(lintChart(requiredValues)).toContain('0 chart(s) failed')
})

it('the chart renders valid Kubernetes manifests with all options enabled', () => {
  const manifests = render(allValues)
  for (const manifest of manifests) expect(() => validate(manifest), manifest.kind).not.toThrow()
  expect(kindsOf(manifests)).toEqual([
    'Deployment',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Ingress',
    'Job',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Secret',
    'Service',
    'Service',
    'ServiceMonitor',
  ])
})

it('the validation rejects a manifest with a wrong type', () => {
  const [deployment] = render(requiredValues).filter(({ kind }) => kind === 'Deployment')
  const invalidDeployment = { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } }
  expect(() => validate(invalidDeployment as never)).toThrow(/replicas must be integer/)
})

it("the operator's secret replaces the secret of the chart", () => {
  const manifests = render({ existingSecret: 'mine' })
  expect(kindsOf(manifests)).not.toContain('Secret')
  for (const { envFrom } of containersIn(manifests))
    expect(envFrom).toEqual([{ secretRef: { name: 'mine' } }])
})

it('the chart omits disabled parts', () => {
  const kinds = kindsOf(
    render({
      ...requiredValues,
      'ingress.enabled': 'false',
      'networkPolicy.enabled': 'false',
      'web.autoscaling.enabled': 'false',
    }),
  )
  for (const kind of ['Ingress', 'NetworkPolicy', 'HorizontalPodAutoscaler', 'ServiceMonitor'])
    expect(kinds).not.toContain(kind)
})

it('every container runs read-only and unprivileged, and sets only settings that the site has', () => {
  const settings = readDocumentedSettings()
  const containers = containersIn(render(allValues))
  expect(containers.map(({ name }) => name).toSorted()).toEqual(['site-migrate', 'site-web', 'site-worker'])
  for (const { env, securityContext } of containers) {
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(env.map(({ name }) => name).filter((name) => !settings.has(name))).toEqual([])
  }
})

it("the probes of the pods use the site's paths and the pods' ports", () => {
  const containers = containersIn(render(allValues)).filter(({ ports }) => ports !== undefined)
  const probesOf = ({ startupProbe, readinessProbe, livenessProbe }: Container) =>
    [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet.path)
  expect(containers.map((container) => [container.name, ...probesOf(container)])).toEqual([
    ['site-web', '/api/ready', '/api/health', '/api/health'],
    ['site-worker', undefined, undefined, '/metrics'],
  ])
  for (const { ports = [], startupProbe, readinessProbe, livenessProbe } of containers)
    for (const probe of [startupProbe, readinessProbe, livenessProbe])
      if (probe) expect(ports.map(({ name }) => name)).toContain(probe.httpGet.port)
})

it('the migration runs before an installation and an upgrade', () => {
  const [job] = render(requiredValues).filter(({ kind }) => kind === 'Job')
  expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  expect(job?.spec.template.spec.containers[0]?.command).toEqual(['cliffhanger', 'migrate'])
})

it('the secret exists before the migration that reads it', () => {
  const weightOf = (kind: string) => {
    const [manifest] = render(requiredValues).filter((each) => each.kind === kind)
    expect(manifest?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    return Number(manifest?.metadata.annotations?.['helm.sh/hook-weight'])
  }
  expect(weightOf('Secret')).toBeLessThan(weightOf('Job'))
})

it('a changed secret of the chart replaces the pods; an unchanged secret does not', () => {
  const checksums = (values: Record<string, string>) =>
    render(values)
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.metadata.annotations?.['checksum/secret'])
  const [web, worker] = checksums(requiredValues)
  expect(web).toMatch(/^[\da-f]{64}$/)
  expect(worker).toBe(web)
  expect(checksums(requiredValues)).toEqual([web, worker])
  expect(checksums({ ...requiredValues, 'secrets.SMTP_URL': 'smtp://mail.example' })).not.toContain(web)
  expect(checksums({ existingSecret: 'mine' })).toEqual([undefined, undefined])
})
