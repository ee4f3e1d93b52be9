/** A filter that mirrors frames. */
export type MirrorFilter = 'hflip' | 'vflip'

/**
 * Returns the filter that mirrors a film as its display matrix requires; undefined if the film is not mirrored. Only
 * ffmpeg before version 5 needs the filter: it rotates frames by the matrix, but does not mirror them.
 * @param displayMatrix the matrix as ffprobe prints it: three lines, each of a line number and three values
 */
export function mirrorFilterOf(displayMatrix = ''): MirrorFilter | undefined {
  const values = displayMatrix.replaceAll(/^\d+:/gm, '').trim().split(/\s+/).map(Number)
  const [a = 1, b = 0, , c = 0, d = 1] = values
  if (values.length !== 9 || a * d - b * c >= 0) return undefined
  return a === 0 ? 'hflip' : 'vflip'
}
