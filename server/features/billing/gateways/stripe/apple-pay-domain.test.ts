import { expect, onTestFinished, test } from 'vitest'
import { startTestSite } from '#server/testing/site/test-site.ts'

const path = '/.well-known/apple-developer-merchantid-domain-association'
const keys = {
  STRIPE_SECRET_KEY: 'sk_test_none',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_none',
  STRIPE_WEBHOOK_SECRET: 'whsec_none',
  STRIPE_API_BASE: 'http://127.0.0.1:9',
}

test('the domain file for Apple Pay is served with the content that the operator configured', async () => {
  const site = await startTestSite({}, { ...keys, APPLE_PAY_DOMAIN_ASSOCIATION: '7B227073704964' })
  onTestFinished(() => site.close())
  const answer = await site.visitor().fetch(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await answer.text()).toBe('7B227073704964')
})

test('the domain file is not found if it is not configured', async () => {
  const site = await startTestSite({}, keys)
  onTestFinished(() => site.close())
  expect((await site.visitor().fetch(path)).status).toBe(404)
})
