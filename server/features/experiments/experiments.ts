import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import { variantOf, type RunningExperiment } from './assign-variant.ts'
import {
  deleteExposures,
  insertExposures,
  isFormerGuest,
  moveExposures,
  selectExposuresOf,
  selectRunning,
} from './queries.ts'

export type { RunningExperiment } from './assign-variant.ts'
export {
  changeDraft,
  draftExperiment,
  endExperiment,
  findExperiment,
  listAllExperiments,
  startDraft,
  type ExperimentRow,
} from './manage-experiments.ts'

/** Finds the variants of viewers. */
export interface Experiments {
  /** Running experiments, at most a second old. */
  running(): Promise<readonly RunningExperiment[]>
  /**
   * Records that a viewer was exposed to these experiments; only the first exposure to each counts. A viewer without a row can be
   * exposed too, up to the quota of their network, unless the guest has registered since the token was issued.
   */
  recordExposures(
    viewer: Pick<Viewer, 'userId' | 'isStored' | 'ip'>,
    experiments: readonly RunningExperiment[],
  ): Promise<void>
}

interface Options {
  db: Db
  clock: Clock
  quotas: Pick<NetworkQuotas, 'spend'>
}

export function createExperiments({ db, clock, quotas }: Options): Experiments {
  const cache = createResponseCache<readonly RunningExperiment[]>(clock, { stale: true })
  return {
    running: () => cache.get('running', () => selectRunning(db)),
    async recordExposures({ userId: viewerId, isStored, ip }, experiments) {
      if (experiments.length === 0) return
      if (!isStored && ip !== undefined && quotas.spend('exposures', ip, experiments.length) > 0) return
      if (!isStored && (await isFormerGuest(db, viewerId))) return
      const at = clock.now()
      const rows = experiments.map((experiment) => ({
        viewer_id: viewerId,
        experiment_id: experiment.id,
        variant: variantOf(experiment, viewerId),
        at,
      }))
      await insertExposures(db, rows)
    },
  }
}

/** Reads the running experiments without the cache, for charges. */
export function loadRunningUncached(db: Db): Promise<readonly RunningExperiment[]> {
  return selectRunning(db)
}

type Running = readonly RunningExperiment[]

const findRunning = (running: Running, kind: RunningExperiment['kind'], target: string | null) =>
  running.find((each) => each.kind === kind && each.target === target)

/** Number of free episodes of a video for one viewer. */
export interface FreeEpisodes {
  count: number
  /** Lowest number of free episodes in any variant. */
  minCount: number
  /** The experiment that decides the number. A viewer who requests an episode after `least` is exposed to it. */
  experiment?: RunningExperiment
}

/**
 * Returns the number of free episodes of a video for a viewer. An experiment on the video takes precedence over a site-wide one. A
 * viewer without an id gets the episodes that are free in every variant.
 */
export function freeEpisodesFor(
  running: Running,
  viewerId: string | undefined,
  video: { id: string; free_episodes: number },
): FreeEpisodes {
  const defaultCount = video.free_episodes
  const experiment =
    findRunning(running, 'free_episodes', video.id) ?? findRunning(running, 'free_episodes', null)
  if (!experiment) return { count: defaultCount, minCount: defaultCount }
  const counts = experiment.variants.map(({ free_episodes = defaultCount }) => free_episodes)
  const minCount = Math.min(...counts)
  const count = viewerId === undefined ? minCount : (counts[variantOf(experiment, viewerId)] ?? defaultCount)
  return { count, minCount, experiment }
}

/** Returns the changes of a viewer's variant to the operator's checkout theme; empty if no experiment applies. */
export function payThemeFor(running: Running, viewerId: string): { layout?: string; accent?: string } {
  const experiment = findRunning(running, 'pay_theme', null)
  if (!experiment) return {}
  const { layout, accent } = experiment.variants[variantOf(experiment, viewerId)] ?? {}
  return { ...(layout === undefined ? {} : { layout }), ...(accent === undefined ? {} : { accent }) }
}

interface Amount {
  cents: number
  /** Null if the experiment was never about a price. */
  currency: string | null
}

/** Prices of an episode and of the whole video in a viewer's variants. */
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

/** Returns the experiments that an offer exposes: those on the checkout theme and, if the offer is about a video, on its prices. */
export function experimentsInOffer(running: Running, videoId?: string): RunningExperiment[] {
  return running.filter(
    ({ kind, target }) =>
      kind === 'pay_theme' || ((kind === 'episode_price' || kind === 'video_price') && target === videoId),
  )
}

/** Moves a guest's exposures to the member. From then on, the member's own id decides the variant. */
export async function mergeExposures(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId !== memberId) await moveExposures(tx, guestId, memberId)
}

export async function eraseExposures(tx: Tx, userId: string): Promise<void> {
  await deleteExposures(tx, userId)
}

export async function exportExposures(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { experiments: await selectExposuresOf(db, userId) }
}
