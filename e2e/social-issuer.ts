import { randomUUID } from 'node:crypto'
import { OAuth2Server } from 'oauth2-mock-server'

/** A real OpenID Connect issuer that agrees to everything; each visit brings somebody new. @returns the site's settings for it */
export async function startSocialIssuer(): Promise<Record<string, string>> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, 'localhost')
  server.service.on('beforeTokenSigning', ({ payload }) => {
    const sub = randomUUID()
    Object.assign(payload, { sub, name: 'Grace', email: `${sub}@example.com`, email_verified: false })
  })
  return {
    OIDC_ISSUER: server.issuer.url ?? '',
    OIDC_CLIENT_ID: 'site',
    OIDC_CLIENT_SECRET: 'a secret of the tests',
    OIDC_NAME: 'House',
  }
}
