import { OAuth2Server } from 'oauth2-mock-server'
import { expect } from 'vitest'
import { createSocialProviders } from '#server/features/members/social/create-providers.ts'
import { startSession } from '#server/features/members/sessions/sessions.ts'
import { newId } from '#server/platform/ids.ts'
import { readSocial } from '#server/platform/config/read-social.ts'
import {
  startFakeSocialProviders,
  type FakeSocialProviders,
} from '#server/testing/fakes/fake-social-providers.ts'
import { startTestSite, type TestSite } from './test-site.ts'
import type { Visitor } from './visitor.ts'

/** A site with a real OpenID Connect server (`oidc`) and fakes of Facebook and TikTok. Google is not configured. */
export interface SocialSite extends TestSite {
  issuer: OAuth2Server
  fakeProviders: FakeSocialProviders
  /** Claims in the tokens of the OpenID Connect server. */
  claims: Record<string, unknown>
  /** Signs a new user in at all providers. */
  useNewIdentity(): void
  /** Resets the clock and the providers' faults. */
  resetFaults(): void
  advanceClock(milliseconds: number): void
  /** Creates a member with a password, who is signed in. */
  createMember(email?: string | null, verified?: boolean): Promise<{ id: string; visitor: Visitor }>
  identitiesOf(userId: string): Promise<{ provider: string; subject: string }[]>
}

export async function startSocialSite(timeoutSeconds?: number): Promise<SocialSite> {
  const issuer = new OAuth2Server()
  await issuer.issuer.keys.generate('RS256')
  await issuer.start(0, '127.0.0.1')
  const fakeProviders = await startFakeSocialProviders()
  let offset = 0
  let identityCount = 0
  const site = await startTestSite({
    socialProviders: await providersAt(issuer.issuer.url ?? '', fakeProviders.url, timeoutSeconds),
    clock: { now: () => new Date(Date.now() + offset) },
  })
  const social: SocialSite = {
    ...site,
    issuer,
    fakeProviders,
    claims: {},
    useNewIdentity() {
      identityCount += 1
      const sub = `person-${identityCount}`
      social.claims = { sub, name: 'Ada', email: `${sub}@example.com`, email_verified: true }
      fakeProviders.profile = { id: sub, name: 'Ada' }
    },
    resetFaults() {
      offset = 0
      fakeProviders.faultHandlers.clear()
      for (const event of ['beforeResponse', 'beforeAuthorizeRedirect', 'beforeUserinfo'])
        issuer.service.removeAllListeners(event)
    },
    advanceClock: (milliseconds) => void (offset += milliseconds),
    createMember: (email = null, verified = true) => addMember(site, email, verified),
    async identitiesOf(userId) {
      const { rows } = await site.context.database.pool.query<{ provider: string; subject: string }>(
        'SELECT provider, subject FROM social_identities WHERE user_id = $1 ORDER BY provider',
        [userId],
      )
      return rows
    },
    async close() {
      await site.close()
      await issuer.stop()
      await fakeProviders.close()
    },
  }
  issuer.service.on('beforeTokenSigning', ({ payload }) => void Object.assign(payload, social.claims))
  return social
}

function providersAt(issuerUrl: string, fakeUrl: string, timeoutSeconds?: number) {
  const { social, socialSecrets } = readSocial({
    OIDC_ISSUER: issuerUrl,
    OIDC_CLIENT_ID: 'site',
    OIDC_CLIENT_SECRET: 'oidc-secret',
    OIDC_NAME: 'House',
    FACEBOOK_CLIENT_ID: 'fb-app',
    FACEBOOK_CLIENT_SECRET: 'facebook-secret',
    FACEBOOK_WEB_BASE: `${fakeUrl}/facebook`,
    FACEBOOK_GRAPH_BASE: `${fakeUrl}/facebook`,
    TIKTOK_CLIENT_KEY: 'tt-app',
    TIKTOK_CLIENT_SECRET: 'tiktok-secret',
    TIKTOK_WEB_BASE: `${fakeUrl}/tiktok`,
    TIKTOK_OPEN_BASE: `${fakeUrl}/tiktok`,
  })
  return createSocialProviders({ social, secrets: { social: socialSecrets } }, timeoutSeconds)
}

async function addMember(
  { context, visitor: newVisitor }: TestSite,
  email: string | null,
  verified: boolean,
) {
  const visitor = newVisitor()
  const id = newId('usr')
  await context.database.pool.query(
    `INSERT INTO users (id, email, email_verified_at, password_hash, referral_code, member_since)
     VALUES ($1, $2, $3, 'a hash', $1, now())`,
    [id, email, verified ? new Date() : null],
  )
  const setHeader = (name: string, value: string) => {
    if (name === 'set-cookie') visitor.cookie = value.split(';')[0] ?? ''
  }
  const call = { viewer: null, language: 'en' as const, ip: '127.0.0.1', userAgent: '', setHeader }
  await context.db.transaction().execute((tx) => startSession(context, tx, call, id))
  return { id, visitor }
}

export const locationOf = (response: Response) => response.headers.get('location') ?? ''

/** Starts a sign-in at a provider. @returns the URL of the provider's consent screen */
export async function startSocialSignIn(visitor: Visitor, provider = 'oidc', query = ''): Promise<string> {
  const response = await visitor.fetch(`/api/user/social/${provider}${query}`)
  expect(response.status).toBe(302)
  return locationOf(response)
}

/** Consents at the provider. @returns the path of the site to which the provider redirects */
export async function grantConsent(consent: string): Promise<string> {
  const back = locationOf(await fetch(consent, { redirect: 'manual' }))
  return back.replace('http://localhost:3000', '')
}

/** Requests the callback path. @returns the location to which the site redirects */
export async function finishSocialSignIn(visitor: Visitor, callback: string): Promise<string> {
  const response = await visitor.fetch(callback, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(response.status).toBe(303)
  return locationOf(response)
}

/** Runs a complete sign-in at a provider. @returns the last location to which the site redirects */
export async function signInWithProvider(visitor: Visitor, provider = 'oidc', query = ''): Promise<string> {
  return finishSocialSignIn(visitor, await grantConsent(await startSocialSignIn(visitor, provider, query)))
}
