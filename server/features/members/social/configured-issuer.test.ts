import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { grantConsent, finishSocialSignIn, startSocialSignIn } from '#server/testing/site/social-site.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const startsWithinMs = 120_000
let issuer: { url: string; close(): Promise<void> }
let site: TestSite

beforeAll(async () => {
  issuer = await runIssuer()
  site = await startTestSite(
    {},
    { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: 'site', OIDC_CLIENT_SECRET: 'secret' },
  )
})
afterAll(async () => {
  await site.close()
  await issuer.close()
})

async function runIssuer(): Promise<typeof issuer> {
  const entry = join(import.meta.dirname, '..', '..', '..', 'testing', 'fakes', 'oidc-issuer.ts')
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
  const child = spawn(process.execPath, [entry], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const [url] = (await once(lines, 'line', { signal: AbortSignal.timeout(startsWithinMs) })) as [string]
  return {
    url,
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

test('a guest can register and later sign in with a configured issuer that runs in a separate process', async () => {
  const visitor = site.visitor()
  const { id } = await visitor.callOk(getUser)
  const consent = new URL(await startSocialSignIn(visitor, 'oidc', '?return_to=/my'))
  expect(consent.href).toContain(`${issuer.url}/authorize?`)
  expect(Object.fromEntries(consent.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'site',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/./),
  })
  const callback = await grantConsent(consent.href)
  expect(callback).toMatch(/[?&]code=/)
  expect(await finishSocialSignIn(visitor, callback)).toBe('/my')
  expect(await visitor.callOk(getUser)).toMatchObject({ id, role: 'member' })
  const otherBrowser = site.visitor()
  expect(
    await finishSocialSignIn(otherBrowser, await grantConsent(await startSocialSignIn(otherBrowser))),
  ).toBe('/')
  expect((await otherBrowser.callOk(getUser)).id).toBe(id)
})
