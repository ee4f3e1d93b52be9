import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let text: string
beforeAll(async () => {
  site = await startTestSite({}, { PUBLIC_URL: 'https://drama.example' })
  text = await (await site.visitor().fetch('/api/openapi.json')).text()
})
afterAll(() => site.close())

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
