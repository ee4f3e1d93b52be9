import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite(
    {},
    {
      FACEBOOK_PIXEL_ID: '4711',
      CONSENT_MODE: 'strict',
      SENTRY_DSN: 'https://key@errors.example/7',
      SANDBOX_HOST_SUFFIX: 'sandbox.</script>',
    },
  )
})
afterAll(() => site.close())

const open = async (path: string) => {
  const response = await site.visitor().fetch(path)
  return { policy: response.headers.get('content-security-policy') ?? '', html: await response.text() }
}
const part = (policy: string, name: string) => policy.split('; ').find((line) => line.startsWith(`${name} `))

it('a document may connect only to configured pixels and error reporting', async () => {
  const { policy } = await open('/')
  expect(part(policy, 'script-src')).toMatch(
    /^script-src 'self' 'nonce-[^']+' https:\/\/connect\.facebook\.net$/,
  )
  expect(part(policy, 'connect-src')).toBe(
    "connect-src 'self' https://www.facebook.com https://connect.facebook.net https://errors.example",
  )
  expect(policy).not.toMatch(/google|tiktok|imotech/)
})

it('the offline page may load no pixel, because browsers may still store the page after a pixel was removed', async () => {
  const { policy } = await open('/offline')
  expect(part(policy, 'script-src')).toMatch(/^script-src 'self' 'nonce-[^']+'$/)
  expect(part(policy, 'connect-src')).toBe("connect-src 'self' https://errors.example")
  expect(part(policy, 'img-src')).toBe("img-src 'self' data: https://errors.example")
})

it("a document may load the site's own service worker and manifest", async () => {
  const { policy } = await open('/')
  expect(part(policy, 'worker-src')).toBe("worker-src 'self' blob:")
  expect(part(policy, 'manifest-src')).toBe("manifest-src 'self'")
})

it('the payment form may connect to no foreign host', async () => {
  const { policy } = await open('/order/easy')
  expect(policy).not.toMatch(/https:/)
})

it('a document contains the public settings', async () => {
  const { html } = await open('/')
  const [, json = ''] = /<script type="application\/json" id="settings">(.*?)<\/script>/.exec(html) ?? []
  expect(JSON.parse(json)).toEqual({
    site: 'Cliffhanger',
    logo: '/favicon.svg',
    consent: 'strict',
    sentry: { dsn: 'https://key@errors.example/7', sandbox_host_suffix: 'sandbox.</script>' },
  })
})

it('a document that may load pixels has a meta tag, so that the page reserves space for the consent bar', async () => {
  expect((await open('/')).html).toContain('<meta name="pixels">')
  expect((await open('/offline')).html).not.toContain('<meta name="pixels">')
})
