import type { RunningExperiment } from '#server/features/experiments/assign-variant.ts'
import { createExperiments } from '#server/features/experiments/experiments.ts'
import { createEpisodeCache, createMediaKeys, type MediaContext } from '#server/features/media/media.ts'
import type { Clock } from '#server/platform/clock.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { noAnnouncements } from '#server/testing/no-announcements.ts'
import type { Db } from '#server/tables.ts'

interface MediaTestOptions {
  db: Db
  clock: Clock
  /** Returns the experiments that run at the moment. */
  running: () => readonly RunningExperiment[]
  offerFor: MediaContext['offerFor']
}

/** Creates the context of the media feature with a new cache, because the clock of a test may not advance. */
export function mediaContext({ db, clock, running, offerFor }: MediaTestOptions): MediaContext {
  return {
    db,
    clock,
    episodes: createEpisodeCache(db, clock, noAnnouncements),
    mediaSecrets: ['secret'],
    mediaKeys: createMediaKeys('secret', true),
    experiments: {
      ...createExperiments({ db, clock, catalogueChanges: noAnnouncements, quotas: noQuotas }),
      running: async () => [...running()],
    },
    offerFor,
    translate: (_, key) => key,
  }
}
