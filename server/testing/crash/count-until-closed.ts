// A process that repeatedly aggregates plays, favorites and episode views until its input closes. Any error ends the
// process.
import { aggregateFavoriteBatch, aggregatePlayBatch } from '#server/features/library/counts/count-queries.ts'
import { aggregateEpisodeViewerBatch } from '#server/features/library/episode-view-queries.ts'
import { openTestPool } from '#server/testing/database/test-pool.ts'

const [url = ''] = process.argv.slice(2)
const { db, close } = openTestPool(url)
let isOpen = true
process.stdin.on('end', () => (isOpen = false)).resume()

process.stdout.write('counting\n')
while (isOpen) {
  // Without `inTransaction`, because its retries would hide a deadlock.
  await db.transaction().execute((tx) => aggregatePlayBatch(tx, 100))
  await db.transaction().execute((tx) => aggregateFavoriteBatch(tx, 100))
  await db.transaction().execute((tx) => aggregateEpisodeViewerBatch(tx, new Date(), 100))
}
await close()
process.stdout.write('closed\n')
