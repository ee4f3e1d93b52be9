import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { getUser } from '#contract/members.ts'
import { linkSocial, listSocialProviders } from '#contract/social.ts'
import { readSocial } from '#server/platform/config/read-social.ts'
import { startFakeSocialProviders, providerFaults } from '#server/testing/fakes/fake-social-providers.ts'
import {
  signInWithProvider,
  startSocialSignIn,
  locationOf,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { createSocialProviders } from './create-providers.ts'

let site: SocialSite
/**
 * A site that waits for a provider only half a second. Only tests of silent providers use it: on a slow machine, a
 * response may take as long.
 */
let impatient: SocialSite
const sites = () => [site, impatient]
beforeAll(async () => {
  site = await startSocialSite()
  impatient = await startSocialSite(0.5)
})
afterAll(() => Promise.all(sites().map((each) => each.close())))
beforeEach(() => sites().forEach((each) => each.useNewIdentity()))
afterEach(() => sites().forEach((each) => each.resetFaults()))

describe('a failing provider', () => {
  const cases = Object.entries(providerFaults).flatMap(([name, faultHandler]) =>
    ['access_token', '/me', '/oauth/token/', '/user/info/'].map((path) => ({ name, path, faultHandler })),
  )
  it.each(cases)(
    'that is $name at $path sends the user back to sign in',
    async ({ name, path, faultHandler }) => {
      const { fakeProviders, visitor: newVisitor } = name === 'silent' ? impatient : site
      fakeProviders.faultHandlers.set(path, faultHandler)
      const visitor = newVisitor()
      const provider = path === 'access_token' || path === '/me' ? 'facebook' : 'tiktok'
      expect(await signInWithProvider(visitor, provider)).toBe(
        `/login?social=failed&provider=${provider}&return_to=%2F`,
      )
      expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
    },
  )

  it('that responds to the code with an error makes the sign-in fail', async () => {
    site.issuer.service.once('beforeResponse', (answer: { statusCode: number; body: unknown }) => {
      Object.assign(answer, { statusCode: 400, body: { error: 'invalid_grant' } })
    })
    expect(await signInWithProvider(site.visitor())).toMatch(/social=failed/)
  })

  it.each(Object.entries(providerFaults))(
    'whose discovery is %s cannot be used until the discovery works',
    async (_name, faultHandler) => {
      const discovery = await startFakeSocialProviders()
      onTestFinished(() => discovery.close())
      const { social, socialSecrets } = readSocial({
        OIDC_ISSUER: discovery.url,
        OIDC_CLIENT_ID: 'site',
        OIDC_CLIENT_SECRET: 'oidc-secret',
      })
      const [provider] = await createSocialProviders({ social, secrets: { social: socialSecrets } }, 0.3)
      const checks = {
        redirectUri: 'http://localhost:3000/x',
        state: 's',
        nonce: 'n',
        verifier: 'v'.repeat(43),
      }
      discovery.faultHandlers.set('/.well-known/openid-configuration', faultHandler)
      await expect(provider?.authorizationUrl(checks, false)).rejects.toThrow()
      discovery.faultHandlers.set('/.well-known/openid-configuration', (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ issuer: discovery.url, authorization_endpoint: `${discovery.url}/authorize` }),
          ),
      )
      const challengeMethod = async () =>
        (await provider?.authorizationUrl(checks, false))?.searchParams.get('code_challenge_method')
      // On a slow machine, the working discovery may exceed the short time limit too.
      await expect.poll(challengeMethod).toBe('S256')
      // If a later reload fails, the old response remains in use.
      discovery.faultHandlers.set('/.well-known/openid-configuration', faultHandler)
      const later = performance.now() + 2 * 3_600_000
      const now = vi.spyOn(performance, 'now').mockReturnValue(later)
      const reload = vi.spyOn(globalThis, 'fetch')
      onTestFinished(() => [now, reload].forEach((spy) => spy.mockRestore()))
      const signIn = async () => (await provider?.authorizationUrl(checks, false))?.origin
      expect(await signIn()).toBe(discovery.url)
      // Until the next reload is due, sign-ins do not wait for a reload.
      expect(await signIn()).toBe(discovery.url)
      expect(reload).toHaveBeenCalledTimes(1)
      now.mockReturnValue(later + 60_000)
      expect(await signIn()).toBe(discovery.url)
      expect(reload).toHaveBeenCalledTimes(2)
    },
  )
})

it('users get an error if they sign in or link an identity while the provider cannot be reached', async () => {
  const { social, socialSecrets } = readSocial({
    GOOGLE_CLIENT_ID: 'site',
    GOOGLE_CLIENT_SECRET: 'secret',
    GOOGLE_ISSUER: 'http://127.0.0.1:1',
  })
  const socialProviders = await createSocialProviders({ social, secrets: { social: socialSecrets } })
  const lonely = await startTestSite({ socialProviders })
  onTestFinished(() => lonely.close())
  const response = await lonely.visitor().fetch('/api/user/social/google?return_to=/my')
  expect(response.status).toBe(303)
  expect(locationOf(response)).toBe('/login?social=failed&provider=google&return_to=%2Fmy')
  const { visitor } = await registerMember(lonely)
  const body = { provider: 'google', current_password: password }
  const { answer } = await visitor.call(linkSocial, { body })
  expect(answer).toMatchObject({ code: 500, message: expect.stringContaining('didn’t work') })
})

it('Google asks for a choice of account when a member links it, but not when a user signs in', async () => {
  const { social, socialSecrets } = readSocial({
    GOOGLE_CLIENT_ID: 'site',
    GOOGLE_CLIENT_SECRET: 'secret',
    GOOGLE_ISSUER: site.issuer.issuer.url,
  })
  const google = await startTestSite({
    socialProviders: await createSocialProviders({ social, secrets: { social: socialSecrets } }),
  })
  onTestFinished(() => google.close())
  const promptOf = async (visitor: Visitor) =>
    new URL(await startSocialSignIn(visitor, 'google')).searchParams.get('prompt')
  expect(await promptOf(google.visitor())).toBeNull()
  expect(await promptOf((await registerMember(google)).visitor)).toBe('select_account')
})

describe('a provider', () => {
  it('is offered and served only if its keys are configured', async () => {
    const { list } = await site.visitor().callOk(listSocialProviders)
    expect(list).toEqual([
      { id: 'facebook', name: 'Facebook' },
      { id: 'tiktok', name: 'TikTok' },
      { id: 'oidc', name: 'House' },
    ])
    for (const path of ['google', 'google/callback', 'nobody', 'nobody/callback'])
      expect((await site.visitor().fetch(`/api/user/social/${path}`)).status).toBe(404)
  })

  it("receives state, nonce and PKCE, and the site's configured address whatever the host header is", async () => {
    const visitor = site.visitor({ 'x-forwarded-host': 'evil.example' })
    const params = new URL(await startSocialSignIn(visitor)).searchParams
    expect(Object.fromEntries(params)).toMatchObject({
      client_id: 'site',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: 'http://localhost:3000/api/user/social/oidc/callback',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}\.[\w-]+$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    const again = new URL(await startSocialSignIn(visitor)).searchParams
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(again.get(name)).not.toBe(params.get(name))
  })

  it('has sign-in flows with an HttpOnly cookie that lasts an hour', async () => {
    const response = await site.visitor().fetch('/api/user/social/oidc')
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^social-[\w-]{8}=[\w-]+\.[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/%09/evil.example',
    'https://evil.example',
  ])('does not redirect to %s afterwards', async (returnTo) => {
    expect(await signInWithProvider(site.visitor(), 'oidc', `?return_to=${returnTo}`)).toBe('/')
  })

  it('is not visited at another site’s request, and the sign-in screen opens instead', async () => {
    const start = (headers: Record<string, string>) =>
      fetch(`${site.url}/api/user/social/oidc?return_to=/my`, { headers, redirect: 'manual' })
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { referer: 'https://evil.example/' },
      { referer: 'x' },
    ]
    for (const headers of foreign)
      expect(locationOf(await start(headers as unknown as Record<string, string>))).toBe(
        '/login?return_to=%2Fmy',
      )
    for (const headers of [{}, { referer: 'http://localhost:3000/login' }])
      expect((await start(headers as Record<string, string>)).status).toBe(302)
  })
})
