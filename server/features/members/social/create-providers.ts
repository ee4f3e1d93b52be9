import type { Config } from '#server/platform/config/config.ts'
import type { SocialProvider } from './social-provider.ts'

type Settings = Pick<Config, 'social'> & { secrets: Pick<Config['secrets'], 'social'> }

/** Creates the social providers for which keys are configured, in display order. */
export async function createSocialProviders(
  { social, secrets }: Settings,
  timeoutSeconds?: number,
): Promise<SocialProvider[]> {
  const { google, facebook, tiktok, oidc } = social
  if (!google && !facebook && !tiktok && !oidc) return []
  // A site without social sign-in does not load the OpenID libraries.
  const [{ createOidcProvider }, { createFacebookProvider, createTiktokProvider }] = await Promise.all([
    import('./oidc-provider.ts'),
    import('./oauth-providers.ts'),
  ])
  const secret = secrets.social
  return [
    ...(google && secret.google
      ? [
          createOidcProvider({
            id: 'google',
            name: 'Google',
            ...google,
            clientSecret: secret.google,
            timeoutSeconds,
            supportsAccountChoice: true,
          }),
        ]
      : []),
    ...(facebook && secret.facebook
      ? [createFacebookProvider(facebook, secret.facebook, timeoutSeconds)]
      : []),
    ...(tiktok && secret.tiktok ? [createTiktokProvider(tiktok, secret.tiktok, timeoutSeconds)] : []),
    ...(oidc && secret.oidc
      ? [createOidcProvider({ id: 'oidc', ...oidc, clientSecret: secret.oidc, timeoutSeconds })]
      : []),
  ]
}
