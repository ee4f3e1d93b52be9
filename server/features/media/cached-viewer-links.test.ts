import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { changeUser } from '#contract/members.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createRunningExperiment } from '#server/testing/builders/experiment.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { insertPaidOrder } from '#server/testing/builders/order-rows.ts'
import { parseMediaLink } from '#server/testing/media/media-links.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { grantEntitlement } from '#server/features/library/library.ts'

let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context, { episodes: 4, freeEpisodes: 2 })
})
afterAll(() => site.close())

const inSpanish = { 'accept-language': 'es' }

async function open(visitor: Visitor, number: number, headers: Record<string, string> = inSpanish) {
  const query = { episode_id: video.episodes[number - 1]?.id ?? '' }
  // The cast is safe, because the call names an episode and so returns a playable episode.
  return (await visitor.callOk(getEpisode, { query, headers })) as PlayableEpisode
}

/** Counts the queries about the viewer and the viewer's entitlements in one request of an episode. */
async function lookUps(visitor: Visitor, number: number, headers?: Record<string, string>): Promise<number> {
  const recordedQueries = recordQueries('sessions', 'users', 'entitlements')
  const before = recordedQueries().length
  await open(visitor, number, headers)
  return recordedQueries().length - before
}

/**
 * Creates a member, and requests an episode until the member is cached. Caching begins once notifications from the
 * database arrive.
 */
async function remembered() {
  const { visitor, user } = await registerMember(site)
  await expect.poll(() => lookUps(visitor, 1)).toBe(0)
  return { visitor, user }
}

describe('the links of an episode for a cached viewer', () => {
  it('need no query if the episode is free, and are signed for the viewer', async () => {
    const { visitor, user } = await remembered()
    const { episode, playback, next } = await open(visitor, 1)
    expect(episode).toMatchObject({ number: 1, state: 'free' })
    expect(next).toMatchObject({ number: 2, state: 'free' })
    expect(parseMediaLink(playback.hls_url).subject).toBe(user.id)
  })

  it('need a query if the next episode is locked, because its state depends on the viewer’s current entitlements', async () => {
    const { visitor, user } = await remembered()
    expect(await lookUps(visitor, 2)).toBeGreaterThan(0)
    expect((await open(visitor, 2)).next).toMatchObject({ number: 3, state: 'locked' })
    await site.context.db.transaction().execute(async (tx) => {
      const orderId = await insertPaidOrder(tx, user.id, new Date())
      const startsAt = new Date(Date.now() - 1000)
      await grantEntitlement(tx, {
        userId: user.id,
        orderId,
        source: 'purchase',
        startsAt,
        videoId: video.id,
      })
    })
    expect((await open(visitor, 2)).next).toMatchObject({ number: 3, state: 'unlocked' })
    expect((await open(visitor, 3)).episode.state).toBe('unlocked')
  })

  it('need a query if the call names no language, because the viewer’s language is used', async () => {
    const { visitor } = await remembered()
    await visitor.callOk(changeUser, { body: { language: 'es' } })
    await expect.poll(() => lookUps(visitor, 1)).toBe(0)
    expect(await lookUps(visitor, 1, { 'accept-language': '*' })).toBeGreaterThan(0)
  })

  it('are not signed for the viewer after the session has ended', async () => {
    const { visitor, user } = await remembered()
    await site.context.db.deleteFrom('sessions').where('user_id', '=', user.id).execute()
    const subject = async () => {
      const query = { episode_id: video.episodes[0]?.id ?? '' }
      const { info } = (await visitor.call(getEpisode, { query, headers: inSpanish })).answer
      return info && 'playback' in info ? parseMediaLink(info.playback.hls_url).subject : undefined
    }
    await expect.poll(subject).not.toBe(user.id)
  })

  it('need a query while an experiment about free episodes is running', async () => {
    const { visitor } = await remembered()
    const { studio } = await signInOperator(site, 'owner')
    await createRunningExperiment(studio, {
      kind: 'free_episodes',
      target: video.id,
      variants: [{ share: 50 }, { share: 50, free_episodes: 1 }],
    })
    await expect.poll(() => lookUps(visitor, 1)).toBeGreaterThan(0)
  })
})
