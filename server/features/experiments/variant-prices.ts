import { findRunning, variantOf, type Running, type RunningExperiment } from './assign-variant.ts'

interface Amount {
  cents: number
  /** The currency of the experiment's prices; null if the experiment sets no prices. */
  currency: string | null
}

/** The prices that a viewer's variants set for an episode and for the whole video. */
export interface VariantPrices {
  episode?: Amount
  video?: Amount
}

/** Returns the prices of a video for a viewer if an experiment on the video sets them; empty otherwise. */
export function pricesFor(running: Running, viewerId: string | undefined, videoId: string): VariantPrices {
  if (viewerId === undefined) return {}
  const amountOf = (kind: 'episode_price' | 'video_price') => {
    const experiment = findRunning(running, kind, videoId)
    const cents = experiment?.variants[variantOf(experiment, viewerId)]?.price_cents
    return cents === undefined ? undefined : { cents, currency: experiment?.currency ?? null }
  }
  const [episode, video] = [amountOf('episode_price'), amountOf('video_price')]
  return { ...(episode ? { episode } : {}), ...(video ? { video } : {}) }
}

/** Returns the variant's price if it is in the current currency, otherwise the usual price. */
export function variantCents(variant: Amount | undefined, currency: string, defaultCents: number): number {
  return variant?.currency === currency ? variant.cents : defaultCents
}

/** Applies the prices of the viewer's variants to a video. */
export function withVariantPrices<
  Price extends { currency: string; episode_cents: number; video_cents: number },
>(price: Price, { episode, video }: VariantPrices): Price {
  const { currency } = price
  return {
    ...price,
    episode_cents: variantCents(episode, currency, price.episode_cents),
    video_cents: variantCents(video, currency, price.video_cents),
  }
}

/** Returns the viewer's checkout theme: the fields that the variant changes; empty if no experiment applies. */
export function payThemeFor(running: Running, viewerId: string): { layout?: string; accent?: string } {
  const experiment = findRunning(running, 'pay_theme', null)
  if (!experiment) return {}
  const { layout, accent } = experiment.variants[variantOf(experiment, viewerId)] ?? {}
  return { ...(layout === undefined ? {} : { layout }), ...(accent === undefined ? {} : { accent }) }
}

/**
 * Returns the experiments to which an offer exposes the viewer. These are the experiment on the checkout theme and, if
 * the offer is for a video, those on its prices.
 */
export function experimentsInOffer(running: Running, videoId?: string): RunningExperiment[] {
  return running.filter(
    ({ kind, target }) =>
      kind === 'pay_theme' || ((kind === 'episode_price' || kind === 'video_price') && target === videoId),
  )
}
