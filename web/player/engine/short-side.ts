/** Returns the shorter side, which names a rendition in both orientations: 720 for 720p. */
export function shortSide({ width, height }: { width: number; height: number }): number {
  return width > 0 ? Math.min(width, height) : height
}
