import type { Config } from '#server/platform/config.ts'
import { createFacebookProvider, createTiktokProvider } from './oauth-providers.ts'
import { createOidcProvider } from './oidc-provider.ts'
import type { SocialProvider } from './social-provider.ts'

type Settings = Pick<Config, 'social'> & { secrets: Pick<Config['secrets'], 'social'> }

/** The providers that have keys, in the order they are offered. */
export function createSocialProviders(
  { social, secrets }: Settings,
  timeoutSeconds?: number,
): SocialProvider[] {
  const { google, facebook, tiktok, oidc } = social
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
            asksWhich: true,
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
