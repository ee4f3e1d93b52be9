/**
 * Loads into the browser's cache the playlists that a player needs before the first segment. An episode that comes on
 * screen before its stream was prepared then starts two or three round trips sooner. Errors are ignored.
 */
export async function prefetchPlaylists(masterUrl: string, signal?: AbortSignal): Promise<void> {
  const options: RequestInit = { priority: 'low', signal: signal ?? null }
  try {
    const master = await (await fetch(masterUrl, options)).text()
    await Promise.all(
      initialPlaylists(master).map(async (path) => {
        const response = await fetch(new URL(path, new URL(masterUrl, location.href)), options)
        await response.text()
      }),
    )
  } catch {
    // The player will request the playlists again.
  }
}

/**
 * Returns the playlists of the audio and of the lowest rendition, with which players start while the bandwidth is
 * unknown.
 */
function initialPlaylists(master: string): string[] {
  const audio = /TYPE=AUDIO.*URI="([^"]+)"/.exec(master)?.[1]
  const lowest = master
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .at(-1)
  return [audio, lowest].filter((path) => path !== undefined)
}
