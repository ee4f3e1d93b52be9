import { expect, test } from 'vitest'
import { viewerEndpoints } from '#contract/all-endpoints.ts'
import { exportUser } from '#contract/members.ts'
import { callPaths } from './call-paths.ts'

/**
 * Paths of the endpoints that are not measured: the data export. The site records each export, and the exported data
 * contains these records. So the response would grow under load.
 */
const unmeasured: readonly string[] = [exportUser.path]

test('the bench measures every viewer endpoint that only reads', () => {
  const film = { videoId: 'vid', episodeId: 'epi', lockedEpisodeId: 'epi', hlsUrl: '', asset: '' }
  const measured = Object.values(callPaths(film, 'ord'))
    .flat()
    .map((path) => path.replace(/\?.*$/, ''))
  const missing = viewerEndpoints
    .filter(({ method, path }) => method === 'GET' && !unmeasured.includes(path))
    .filter(({ path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
      return !measured.some((each) => pattern.test(each))
    })
    .map(({ path }) => path)
  expect(missing).toEqual([])
})
