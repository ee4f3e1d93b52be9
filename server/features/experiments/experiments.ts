import { createAnswerCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import { variantOf, type RunningExperiment } from './assign-variant.ts'
import {
  deleteExposures,
  insertExposures,
  isSomebodysFormer,
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
} from './run-experiment.ts'

/** What a viewer's variants are found by. */
export interface Experiments {
  /** Those that run, as of a second ago at most. */
  running(): Promise<readonly RunningExperiment[]>
  /**
   * Records that a viewer met what differs in these experiments; the first time of each counts. A viewer without a row may have met it
   * too, as many of a network as its quota allows, but not somebody who has registered since that token was given.
   */
  noteMet(
    viewer: Pick<Viewer, 'userId' | 'kept' | 'ip'>,
    experiments: readonly RunningExperiment[],
  ): Promise<void>
}

interface Options {
  db: Db
  clock: Clock
  quotas: Pick<NetworkQuotas, 'spend'>
}

export function createExperiments({ db, clock, quotas }: Options): Experiments {
  const kept = createAnswerCache<readonly RunningExperiment[]>(clock, { stale: true })
  return {
    running: () => kept.get('running', () => selectRunning(db)),
    async noteMet({ userId: viewerId, kept: isStored, ip }, experiments) {
      if (experiments.length === 0) return
      if (!isStored && ip !== undefined && quotas.spend('exposures', ip, experiments.length) > 0) return
      if (!isStored && (await isSomebodysFormer(db, viewerId))) return
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

/** The running experiments at this moment, for charges. */
export function runningNow(db: Db): Promise<readonly RunningExperiment[]> {
  return selectRunning(db)
}

type Running = readonly RunningExperiment[]

const about = (running: Running, kind: RunningExperiment['kind'], target: string | null) =>
  running.find((each) => each.kind === kind && each.target === target)

/** How many episodes of a video are free, for one viewer. */
export interface FreeEpisodes {
  count: number
  /** As many are free in every variant. */
  least: number
  /** The experiment that decides it; a viewer who asks for an episode after the `least` meets what differs. */
  experiment?: RunningExperiment
}

/**
 * How many episodes of a video are free for a viewer. An experiment about the video comes before one about all. Whoever has no
 * id yet has what every variant has.
 */
export function freeEpisodesFor(
  running: Running,
  viewerId: string | undefined,
  video: { id: string; free_episodes: number },
): FreeEpisodes {
  const usual = video.free_episodes
  const experiment = about(running, 'free_episodes', video.id) ?? about(running, 'free_episodes', null)
  if (!experiment) return { count: usual, least: usual }
  const counts = experiment.variants.map(({ free_episodes = usual }) => free_episodes)
  const least = Math.min(...counts)
  const count = viewerId === undefined ? least : (counts[variantOf(experiment, viewerId)] ?? usual)
  return { count, least, experiment }
}

/** What a viewer's variant changes in the operator's pay theme; nothing where none does. */
export function payThemeFor(running: Running, viewerId: string): { layout?: string; accent?: string } {
  const experiment = about(running, 'pay_theme', null)
  if (!experiment) return {}
  const { layout, accent } = experiment.variants[variantOf(experiment, viewerId)] ?? {}
  return { ...(layout === undefined ? {} : { layout }), ...(accent === undefined ? {} : { accent }) }
}

interface Amount {
  cents: number
  /** Null if the experiment was never about a price. */
  currency: string | null
}

/** What a viewer's variants ask for an episode and for the whole of a video. */
export interface VariantPrices {
  episode?: Amount
  video?: Amount
}

/** The prices of a video for a viewer, where an experiment about it decides one; nothing where none does. */
export function pricesFor(running: Running, viewerId: string | undefined, videoId: string): VariantPrices {
  if (viewerId === undefined) return {}
  const amountOf = (kind: 'episode_price' | 'video_price') => {
    const experiment = about(running, kind, videoId)
    const cents = experiment?.variants[variantOf(experiment, viewerId)]?.price_cents
    return cents === undefined ? undefined : { cents, currency: experiment?.currency ?? null }
  }
  const [episode, video] = [amountOf('episode_price'), amountOf('video_price')]
  return { ...(episode ? { episode } : {}), ...(video ? { video } : {}) }
}

/** The variant's price if it has one in the current currency, else the usual price. */
export function variantCents(variant: Amount | undefined, currency: string, usual: number): number {
  return variant?.currency === currency ? variant.cents : usual
}

/** A video's price as the viewer's variants have it. */
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

/** The experiments that an offer shows: the pay panel's, and the prices' if the offer is about a video. */
export function metInOffer(running: Running, videoId?: string): RunningExperiment[] {
  return running.filter(
    ({ kind, target }) =>
      kind === 'pay_theme' || ((kind === 'episode_price' || kind === 'video_price') && target === videoId),
  )
}

/** What a guest met first counts for the member, whose own id decides from then on. */
export async function mergeExposures(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId !== memberId) await moveExposures(tx, guestId, memberId)
}

export async function eraseExposures(tx: Tx, userId: string): Promise<void> {
  await deleteExposures(tx, userId)
}

export async function exportExposures(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { experiments: await selectExposuresOf(db, userId) }
}
