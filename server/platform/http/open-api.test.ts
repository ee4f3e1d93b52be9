import { createConfig, lintFromString } from '@redocly/openapi-core'
import { studioEndpoints, viewerEndpoints } from '#contract/all-endpoints.ts'
import { faults, refusals } from '#contract/errors.ts'
import { callExamples } from '#contract/examples.ts'
import texts from '#server/i18n/en.json' with { type: 'json' }
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let text: string
beforeAll(async () => {
  site = await startTestSite({}, { PUBLIC_URL: 'https://drama.example' })
  text = await (await site.visitor().fetch('/api/openapi.json')).text()
})
afterAll(() => site.close())

/** The parts of an operation that have examples. */
interface Documented {
  requestBody?: { content: { 'application/json': { example?: object } } }
  responses: Record<
    number,
    { content: { 'application/json': { examples?: Record<string, { value: { code: number } }> } } }
  >
}

interface Operation {
  operationId: string
  tags: string[]
  security: Record<string, unknown>[]
}

const operations = () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ call: `${method} ${path}`, ...operation })),
  )
}

it('passes the recommended rules for OpenAPI documents', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  // Two return URLs of PayPal and a link in mails only answer with a redirect.
  const redirections = /(paypal-(return|cancel)|alerts~1unsubscribe)\/get\/responses$/
  const found = problems.filter(
    ({ ruleId, location }) =>
      ruleId !== 'operation-2xx-response' || !redirections.test(location[0]?.pointer ?? ''),
  )
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

it('has examples of the calls from the homepage to a paid episode', () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Documented>> }
  const examplesOf = (method: string, path: string) => {
    const { requestBody, responses } = paths[path]?.[method] ?? {}
    const { examples = {} } = responses?.[200]?.content['application/json'] ?? {}
    const codes = Object.values(examples).map(({ value }) => value.code)
    return { body: requestBody?.content['application/json'].example !== undefined, codes }
  }
  expect(examplesOf('get', '/api/homepage')).toEqual({ body: false, codes: [200] })
  expect(examplesOf('get', '/api/video')).toEqual({ body: false, codes: [200] })
  expect(examplesOf('get', '/api/video/episode')).toEqual({ body: false, codes: [200, 200, 402] })
  expect(examplesOf('post', '/api/payment/order')).toEqual({ body: true, codes: [200] })
  expect(examplesOf('post', '/api/payment/pay')).toEqual({ body: true, codes: [200, 500] })
  expect(examplesOf('post', '/api/user/history')).toEqual({ body: true, codes: [200] })
})

it('lists every refusal of a call, and every fault', () => {
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, object>>
    components: { responses: Record<string, { description: string }> }
  }
  for (const { method, path, refuses } of [...viewerEndpoints, ...studioEndpoints]) {
    const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const documented = JSON.stringify(operation)
    const codes = refuses.filter((name) => !documented.includes(`"const":${refusals[name]}`))
    expect(
      codes.filter((name) => !documented.includes(`${name} (${refusals[name]})`)),
      path,
    ).toEqual([])
  }
  const names = Object.values(components.responses).flatMap(({ description }) => description.split(', '))
  expect(names.toSorted()).toEqual(Object.keys(faults).toSorted())
})

it('has examples of refusals with the texts of the site', () => {
  const shown = callExamples.flatMap(({ response }) => (response.code === 200 ? [] : [response.message]))
  expect(shown.length).toBeGreaterThan(2)
  expect(Object.values(texts.refusals)).toEqual(expect.arrayContaining(shown))
})

it('names each operation for generated clients, and documents who may call it', () => {
  const ids = operations().map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const named = Object.fromEntries(operations().map(({ call, operationId }) => [call, operationId]))
  expect(named).toMatchObject({
    'get /api/user': 'getUser',
    'post /api/payment/order': 'postPaymentOrder',
    'get /api/studio/system/jobs': 'studioJobList',
  })
  for (const { call, tags, security } of operations())
    expect([call, tags.includes('studio')]).toEqual([call, 'operator' in (security[0] ?? {})])
})
