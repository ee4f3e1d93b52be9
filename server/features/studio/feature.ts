import type { PaymentGateway } from '#server/features/billing/billing.ts'
import type { Config } from '#server/platform/config/config.ts'

interface StudioDependencies {
  config: Config
  gateways: readonly PaymentGateway[]
}

/** Adds to the context the environment's settings that the studio shows. */
export function studioFeature({ config, gateways }: StudioDependencies) {
  return {
    parts: {
      environment: config,
      secretsSet: listSecrets(config),
      supportRefunds: config.supportRefunds,
      sandboxOffered: gateways.some(({ id }) => id === 'sandbox'),
    },
  }
}

/** Returns which secrets are set in the environment, by the names of their settings. */
function listSecrets({ secrets, mail, tracking: { conversions } }: Config): { name: string; set: boolean }[] {
  const { stripe, paypal, s3, social } = secrets
  const configured = {
    APP_SECRET: secrets.appSecret,
    STRIPE_SECRET_KEY: stripe,
    PAYPAL_CLIENT_SECRET: paypal,
    S3_SECRET_ACCESS_KEY: s3,
    SMTP_URL: mail.smtpUrl,
    META_ACCESS_TOKEN: conversions.meta,
    TIKTOK_ACCESS_TOKEN: conversions.tiktok,
    GOOGLE_CLIENT_SECRET: social.google,
    FACEBOOK_CLIENT_SECRET: social.facebook,
    TIKTOK_CLIENT_SECRET: social.tiktok,
    OIDC_CLIENT_SECRET: social.oidc,
  }
  return Object.entries(configured).map(([name, value]) => ({ name, set: value !== undefined }))
}
