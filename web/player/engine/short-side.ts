/** What a rendition is called by, such as 720 for 720p: its shorter side, upright or wide. */
export function shortSide({ width, height }: { width: number; height: number }): number {
  return width > 0 ? Math.min(width, height) : height
}
