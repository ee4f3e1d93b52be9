/** Returns the shorter side, by which a rendition is named in both orientations, such as 720 for 720p. */
export function shortSide({ width, height }: { width: number; height: number }): number {
  return width > 0 ? Math.min(width, height) : height
}
