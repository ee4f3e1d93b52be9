import { Fault } from '#contract/errors.ts'
import { getEpisode } from '#contract/media.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import { route, type Call, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { sendFile } from '#server/platform/http/sending/send-file.ts'
import type { Log } from '#server/platform/log.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { loadMediaKey } from './load-media-key.ts'
import { listEpisodes, loadFreePlayable, loadPlayable, type MediaContext } from './media.ts'
import { verifyMediaUrl } from './signed-urls.ts'
import { createBucketFiles, type Served } from './serve-from-bucket.ts'
import { immutableCacheControl } from '#server/platform/cache-control.ts'

type Reply = Parameters<PlainRoute['handle']>[1]

export function mediaRoutes(context: MediaContext): Route[] {
  const answers = createResponseCache(context.clock)
  const load = async ({ query, viewer, language }: Call<typeof getEpisode>) => {
    const { episode_id, video_id } = query
    if (episode_id !== undefined) return { info: await loadPlayable(context, viewer, episode_id, language) }
    if (video_id !== undefined)
      return { data: await listEpisodes(context, viewer, { ...query, video_id }, language) }
    throw new Fault('badRequest', 'video_id or episode_id is needed')
  }
  const loadShared = async (call: Call<typeof getEpisode>) => {
    if (call.viewer && (call.viewer.isStored || (await context.experiments.running()).length > 0))
      return load(call)
    // Guests without a row have no entitlements. While no experiment runs, they all get the same cached response,
    // including its signed links.
    const { episode_id, video_id, cursor, limit } = call.query
    const key = JSON.stringify([call.language, episode_id, video_id, cursor, limit])
    // The response is loaded without a viewer. Otherwise, an experiment that starts at this moment could put a viewer's
    // variant into the shared response.
    return answers.get(key, async () => call.serialise(await load({ ...call, viewer: null })))
  }
  const loadFree = async ({ query, viewer, language }: Call<typeof getEpisode>) => {
    if (!viewer || query.episode_id === undefined) return undefined
    const info = await loadFreePlayable(context, viewer, query.episode_id, language)
    return info && { info }
  }
  return [route(getEpisode, loadShared, loadFree)]
}

interface DeliveryContext extends Pick<
  MediaContext,
  'db' | 'clock' | 'mediaKeys' | 'mediaSecrets' | 'experiments'
> {
  storage: Storage
  log: Log
}

/**
 * HTTP statuses of refused requests for a key. A replaced asset gets 410, as an expired link does. The player then
 * requests a new link, which is for the new asset.
 */
const missingKeyStatus = { none: 404, locked: 403, replaced: 410 }

interface MediaParams {
  signature: string
  asset: string
  '*': string
}

/**
 * Serves public media files, and private media files by signed links. Sends plain files, without the API's envelope.
 */
export function deliveryRoutes(context: DeliveryContext): PlainRoute[] {
  const { mediaSecrets, clock, storage, log } = context
  const { delivery } = storage
  const bucketFiles = delivery.kind === 'files' ? undefined : createBucketFiles(storage, delivery, log)
  const root = delivery.kind === 'files' ? delivery.root : ''
  return [
    {
      method: 'GET',
      path: '/media/:signature/:asset/key',
      async handle(request, reply) {
        const { signature, asset } = request.params as MediaParams
        const validity = verifyMediaUrl(mediaSecrets, signature, asset, clock.now())
        reply.header('cache-control', 'no-store')
        if (validity !== 'valid') return reply.code(validity === 'expired' ? 410 : 403).send()
        const key = await loadMediaKey(context, signature.split('.')[1] ?? '', asset)
        if (typeof key === 'string') return reply.code(missingKeyStatus[key]).send()
        return reply.type('application/octet-stream').send(key)
      },
    },
    {
      method: 'GET',
      path: '/media/:signature/:asset/*',
      async handle(request, reply) {
        const { signature, asset, '*': file } = request.params as MediaParams
        const validity = verifyMediaUrl(mediaSecrets, signature, asset, clock.now())
        // Not cached, because the same link may be accepted later: after a change of the secrets, or by a machine whose
        // clock is right.
        if (validity !== 'valid')
          return reply
            .code(validity === 'expired' ? 410 : 403)
            .header('cache-control', 'no-store')
            .send()
        // A signature in the URL belongs to one viewer, so only that viewer's browser may cache the response.
        const cacheControl = `private, max-age=${secondsLeft(signature, clock.now())}, immutable`
        if (!bucketFiles) return sendFile(request, reply, root, `media/${asset}/${file}`, { cacheControl })
        // A playlist from the bucket contains links with this viewer's signature, so no shared cache may store it.
        reply.header('x-accel-expires', '0')
        const expires = new Date(Number(signature.split('.')[0]) * 1000)
        return sendServed(reply, await bucketFiles.media({ signature, asset, file, expires }), cacheControl)
      },
    },
    {
      method: 'GET',
      path: '/public/*',
      async handle(request, reply) {
        const file = (request.params as MediaParams)['*']
        return bucketFiles
          ? sendServed(reply, await bucketFiles.open(file), immutableCacheControl)
          : sendFile(request, reply, root, `public/${file}`, { cacheControl: immutableCacheControl })
      },
    },
  ]
}

/**
 * Sends a file from the bucket. If the storage is unreachable, answers 503 instead of 404, so that the browser may
 * retry.
 */
function sendServed(reply: Reply, served: Served, cacheControl: string): Reply {
  if (served === 'missing') return reply.code(404).header('cache-control', 'no-store').send()
  if (served === 'unavailable')
    return reply.code(503).headers({ 'cache-control': 'no-store', 'retry-after': 5 }).send()
  reply.header('cache-control', cacheControl)
  if ('location' in served) return reply.redirect(served.location, 307)
  if (served.type) reply.header('content-type', served.type)
  return reply.send(served.body)
}

function secondsLeft(signature: string, now: Date): number {
  return Math.max(0, Number(signature.split('.')[0]) - Math.floor(now.getTime() / 1000))
}
