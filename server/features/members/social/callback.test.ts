import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { getUser } from '#contract/members.ts'
import { membersJobs } from '#server/features/members/members.ts'
import { attemptKey } from '#server/platform/database/attempt-limits.ts'
import {
  grantConsent,
  finishSocialSignIn,
  signInWithProvider,
  startSocialSignIn,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'

let site: SocialSite
beforeAll(async () => {
  site = await startSocialSite()
})
afterAll(() => site.close())
beforeEach(() => site.useNewIdentity())
afterEach(async () => {
  site.resetFaults()
  await site.context.database.pool.query('DELETE FROM attempt_counts')
})

/** Uses up the rate limit of the test's network. */
async function exhaustRateLimit(kind: 'sign-in' | 'register'): Promise<void> {
  const { secret, limits, database } = site.context
  const { max } = kind === 'sign-in' ? limits.signInIp : limits.registerIp
  await database.pool.query(
    `INSERT INTO attempt_counts VALUES ($1, $2, now() + interval '1 hour')
    ON CONFLICT (key) DO UPDATE SET attempts = excluded.attempts, expires_at = excluded.expires_at`,
    [attemptKey(secret, `${kind}-ip`, '127.0.0.1'), max],
  )
}

describe('a callback', () => {
  it('without the flow’s cookie reports the missing cookie, with the return path', async () => {
    const consent = await startSocialSignIn(site.visitor(), 'oidc', '?return_to=/videos/one')
    expect(decodeURIComponent(consent)).not.toContain('/videos')
    const callback = await grantConsent(consent)
    const inAnotherBrowser = site.visitor()
    expect(await finishSocialSignIn(inAnotherBrowser, callback)).toBe(
      '/login?social=wrong_browser&provider=oidc&return_to=%2Fvideos%2Fone',
    )
    expect(await inAnotherBrowser.callOk(getUser)).toMatchObject({ role: 'visitor' })
  })

  it('cannot be used by another visitor, even if that visitor has started a flow too', async () => {
    const attackers = await grantConsent(await startSocialSignIn(site.visitor()))
    const victim = site.visitor()
    const own = new URL(await startSocialSignIn(victim)).searchParams.get('state') ?? ''
    const theirs = new URLSearchParams(attackers.split('?')[1])
    expect(await finishSocialSignIn(victim, attackers)).toMatch(/social=wrong_browser/)
    const code = theirs.get('code') ?? ''
    const mixed = new URLSearchParams({ code, state: own })
    expect(await finishSocialSignIn(victim, `/api/user/social/oidc/callback?${mixed.toString()}`)).toMatch(
      /social=failed/,
    )
  })

  it('with a state that differs from the state in the cookie fails', async () => {
    const visitor = site.visitor()
    const callback = new URL(await grantConsent(await startSocialSignIn(visitor)), site.url)
    const state = callback.searchParams.get('state') ?? ''
    callback.searchParams.set('state', `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`)
    expect(await finishSocialSignIn(visitor, callback.pathname + callback.search)).toBe(
      '/login?social=failed&provider=oidc',
    )
  })

  it('with an altered cookie fails', async () => {
    const visitor = site.visitor()
    const callback = await grantConsent(await startSocialSignIn(visitor))
    visitor.cookie = visitor.cookie.replace(/(social-[^=]+=)([^.]+)/, (_all, name: string, text: string) => {
      const flow = Buffer.from(text, 'base64url').toString().replace('"/"', '"/my"')
      return name + Buffer.from(flow).toString('base64url')
    })
    expect(await finishSocialSignIn(visitor, callback)).toBe('/login?social=failed&provider=oidc')
  })

  it('of a provider at which no flow was started fails before that provider receives the code', async () => {
    const calls: string[] = []
    site.fakeProviders.faultHandlers.set('/v2/oauth/token/', (response) => {
      calls.push('the code')
      response.end()
    })
    const visitor = site.visitor()
    const callback = await grantConsent(await startSocialSignIn(visitor, 'facebook'))
    const end = await finishSocialSignIn(visitor, callback.replace('/facebook/', '/tiktok/'))
    expect(end).toBe('/login?social=failed&provider=tiktok')
    expect(calls).toEqual([])
  })

  it('with another nonce in the token fails, and no personal data is logged', async () => {
    const warn = vi.spyOn(site.context.log, 'warn')
    const visitor = site.visitor()
    site.claims.nonce = 'of another request'
    expect(await signInWithProvider(visitor)).toBe('/login?social=failed&provider=oidc&return_to=%2F')
    expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
    expect(warn.mock.calls).toEqual([
      [
        { provider: 'oidc', reason: expect.stringMatching(/^unexpected JWT claim value/) },
        expect.any(String),
      ],
    ])
    expect(JSON.stringify(warn.mock.calls)).not.toContain(site.claims.sub)
  })

  it('is refused for a network that tried to sign in too often', async () => {
    const visitor = site.visitor()
    const callback = await grantConsent(await startSocialSignIn(visitor))
    await exhaustRateLimit('sign-in')
    expect(await finishSocialSignIn(visitor, callback)).toBe(
      '/login?social=failed&provider=oidc&return_to=%2F',
    )
    expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
  })

  it('creates no member for a network that registered too often, but signs in existing members', async () => {
    await signInWithProvider(site.visitor())
    await exhaustRateLimit('register')
    expect(await signInWithProvider(site.visitor())).toBe('/')
    site.useNewIdentity()
    const visitor = site.visitor()
    expect(await signInWithProvider(visitor)).toBe('/login?social=failed&provider=oidc&return_to=%2F')
    expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
  })

  it.each([
    ['audience', { aud: 'another client' }],
    ['issuer', { iss: 'https://another.example' }],
    ['expiry', { exp: 1 }],
    ['subject', { sub: '' }],
  ])('with another %s in the token fails', async (_name, wrong) => {
    Object.assign(site.claims, wrong)
    expect(await signInWithProvider(site.visitor())).toMatch(/^\/login\?social=failed/)
  })

  it('with a token signed by another key fails', async () => {
    site.issuer.service.once('beforeResponse', (answer: { body: unknown }) => {
      const body = answer.body as { id_token: string }
      const [head, payload, signature = ''] = body.id_token.split('.')
      body.id_token = [head, payload, signature.split('').toReversed().join('')].join('.')
    })
    expect(await signInWithProvider(site.visitor())).toMatch(/^\/login\?social=failed/)
  })

  it('works only once, even with a copy of the cookie', async () => {
    const visitor = site.visitor()
    const callback = await grantConsent(await startSocialSignIn(visitor))
    const copy = site.visitor()
    copy.cookie = visitor.cookie
    expect(await finishSocialSignIn(visitor, callback)).toBe('/')
    expect(await finishSocialSignIn(visitor, callback)).toMatch(/social=wrong_browser/)
    expect(await finishSocialSignIn(copy, callback)).toBe('/login?social=expired&provider=oidc&return_to=%2F')
    expect(await copy.callOk(getUser)).toMatchObject({ role: 'visitor' })
  })

  it('is remembered as used until its sign-in has expired', async () => {
    await signInWithProvider(site.visitor())
    const purge = async () => {
      const job = membersJobs(site.context).find(({ name }) => name === 'purge-member-sessions')
      await job?.run(new AbortController().signal)
      return (await site.context.db.selectFrom('used_oauth_states').selectAll().execute()).length
    }
    expect(await purge()).toBeGreaterThan(0)
    site.advanceClock(10 * 60_000 + 1000)
    expect(await purge()).toBe(0)
  })

  it('after more than ten minutes is refused, with the return path', async () => {
    const visitor = site.visitor()
    const callback = await grantConsent(await startSocialSignIn(visitor, 'oidc', '?return_to=/shopping'))
    site.advanceClock(10 * 60_000 + 1000)
    expect(await finishSocialSignIn(visitor, callback)).toBe(
      '/login?social=expired&provider=oidc&return_to=%2Fshopping',
    )
  })

  it('of a cancelled sign-in reports the cancellation', async () => {
    site.issuer.service.once('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'access_denied')
    })
    expect(await signInWithProvider(site.visitor())).toBe(
      '/login?social=cancelled&provider=oidc&return_to=%2F',
    )
  })

  it('with an error of the provider reports the failure', async () => {
    site.issuer.service.once('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
      url.searchParams.set('error', 'server_error')
    })
    expect(await signInWithProvider(site.visitor())).toMatch(/social=failed/)
  })

  it('without parameters redirects to a page of the site', async () => {
    expect(await finishSocialSignIn(site.visitor(), '/api/user/social/oidc/callback')).toMatch(
      /social=wrong_browser/,
    )
  })
})
