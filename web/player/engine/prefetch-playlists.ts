/**
 * Fetches the few lines that a player reads before the first segment, so that an episode which comes on screen before its
 * stream was prepared begins two or three round trips sooner. They are in the browser's cache then; failing is nobody's loss.
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
    // The player asks again.
  }
}

/** The sound's, and the lowest rendition's, with which every player begins that knows nothing yet of the connection. */
function playlistsToBegin(master: string): string[] {
  const sound = /TYPE=AUDIO.*URI="([^"]+)"/.exec(master)?.[1]
  const lowest = master
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .at(-1)
  return [sound, lowest].filter((path) => path !== undefined)
}
