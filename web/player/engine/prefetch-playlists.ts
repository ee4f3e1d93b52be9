/**
 * Prefetches the playlists that a player reads before the first segment into the browser's cache. An episode that comes on screen
 * before its stream was prepared then starts two or three round trips sooner. A failure has no effect.
 */
export async function prefetchPlaylists(masterUrl: string, signal?: AbortSignal): Promise<void> {
  const options: RequestInit = { priority: 'low', signal: signal ?? null }
  try {
    const master = await (await fetch(masterUrl, options)).text()
    await Promise.all(
      playlistsToBegin(master).map(async (path) => {
        const answer = await fetch(new URL(path, new URL(masterUrl, location.href)), options)
        await answer.text()
      }),
    )
  } catch {
    // The player will request it again.
  }
}

/** Returns the audio playlist and the one of the lowest rendition, with which players start while the bandwidth is unknown. */
function playlistsToBegin(master: string): string[] {
  const sound = /TYPE=AUDIO.*URI="([^"]+)"/.exec(master)?.[1]
  const lowest = master
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .at(-1)
  return [sound, lowest].filter((path) => path !== undefined)
}
