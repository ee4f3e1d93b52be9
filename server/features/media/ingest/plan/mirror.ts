/** A filter that mirrors frames. */
export type MirrorFilter = 'hflip' | 'vflip'

/**
 * Returns the filter with which a mirrored film is shown correctly by an ffmpeg before version 5. These versions rotate
 * frames by the container's display matrix, but do not mirror them. Undefined if the film is not mirrored.
 * @param displayMatrix the matrix as ffprobe prints it: three lines, each of a line number and three values
 */
export function mirrorFilterOf(displayMatrix = ''): MirrorFilter | undefined {
  const values = displayMatrix.replaceAll(/^\d+:/gm, '').trim().split(/\s+/).map(Number)
  const [a = 1, b = 0, , c = 0, d = 1] = values
  if (values.length !== 9 || a * d - b * c >= 0) return undefined
  return a === 0 ? 'hflip' : 'vflip'
}
