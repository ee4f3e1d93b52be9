import type { Config } from '#server/platform/config/config.ts'
import {
  lockMarketingConsent,
  lockMarketingConsents,
  selectMarketingConsents,
  selectReferrerId,
} from './account/consent-queries.ts'
import { eraseCredentials, exportCredentials } from './credentials/erase-credentials.ts'
import { eraseIdentities, exportIdentities } from './credentials/erase-identities.ts'
import { createSocialProviders } from './social/create-providers.ts'
import type { SocialProvider } from './social/social-provider.ts'

interface MembersOverrides {
  socialProviders?: readonly SocialProvider[]
}

/**
 * Adds to the context: the social providers, and queries of marketing consents and referral codes for other features.
 */
export async function membersFeature({ config }: { config: Config }, overrides: MembersOverrides) {
  return {
    parts: {
      socialProviders: overrides.socialProviders ?? (await createSocialProviders(config)),
      loadConsents: selectMarketingConsents,
      lockConsent: lockMarketingConsent,
      lockConsents: lockMarketingConsents,
      findReferrer: selectReferrerId,
    },
    lifecycleHooks: {
      erase: [eraseIdentities, eraseCredentials],
      export: [exportIdentities, exportCredentials],
    },
  }
}
