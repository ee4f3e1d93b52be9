import type { BenchEpisode } from '#bench/site/bench-guests.ts'

/** Requests that the browser of every user sends. */
const commonPaths = ({ videoId, episodeId }: BenchEpisode) => [
  '/api/homepage',
  `/api/video?id=${videoId}`,
  `/api/video/episode?video_id=${videoId}`,
  `/api/video/episode?episode_id=${episodeId}`,
  '/api/homepage/query?sort=newest',
  '/api/homepage/query?keyword=bench',
  '/api/tag',
  '/api/tag?keyword=ben',
  '/api/plan',
  '/api/reports',
  '/api/user',
  '/api/user/social',
  '/api/page/serviceAgreement',
  '/api/health',
  '/api/ready',
  '/api/statics.png?event=view',
]

/** Requests whose response depends on what is stored for the user. */
const playbackPaths = ({ videoId, episodeId }: BenchEpisode) => [
  '/api/homepage',
  `/api/video?id=${videoId}`,
  `/api/video/episode?video_id=${videoId}`,
  `/api/video/episode?episode_id=${episodeId}`,
  '/api/user',
  '/api/user/history',
  '/api/user/history?kind=unlocked',
  '/api/user/favorite',
  '/api/payment',
]

/** Requests of the account pages of a member who has paid the order. */
const accountPaths = (orderId: string) => [
  '/api/user/session',
  '/api/user/alerts',
  '/api/user/alerts/push',
  '/api/payment/method',
  `/api/payment/receipt?order_id=${orderId}`,
  '/api/balance',
  '/api/balance/entries',
]

/** Returns the paths that each kind of user requests. `orderId` is the member's paid order. */
export function callPaths(film: BenchEpisode, orderId: string) {
  return {
    visitor: commonPaths(film),
    guest: playbackPaths(film).slice(0, 2),
    member: [...playbackPaths(film), ...accountPaths(orderId)],
  }
}
