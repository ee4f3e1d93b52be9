import { circle, frame, line, path, repeat, seeded, type Palette } from './svg.ts'

export type Weather = 'rain' | 'snow' | 'embers' | 'bubbles' | 'dust' | 'petals'

/**
 * Draws a sheet of drops or flakes, `frame.height` tall. Its copies join seamlessly above each other, so that they can
 * fall continuously.
 */
export function weatherSheet(kind: Weather, p: Palette): string {
  const random = seeded(kind)
  const sheet = repeat(kind === 'rain' ? 70 : 46, (index) => {
    const x = random() * (frame.width + 60) - 30
    const y = random() * frame.height
    const size = 2 + random() * 5
    const opacity = `opacity="${(0.35 + random() * 0.5).toFixed(2)}"`
    switch (kind) {
      case 'rain':
        return line(
          `M${x} ${y} l-8 ${40 + size * 12}`,
          '#dfeaff',
          2,
          `opacity="${(0.15 + random() * 0.3).toFixed(2)}"`,
        )
      case 'snow':
        return circle(x, y, size * 1.1, '#ffffff', opacity)
      case 'embers':
        return circle(x, y, size * 0.7, index % 3 ? p.light : p.accent, opacity)
      case 'bubbles':
        return circle(
          x,
          y,
          size * 2,
          '#ffffff',
          `fill-opacity=".12" stroke="#ffffff" stroke-opacity=".5" stroke-width="2"`,
        )
      case 'petals':
        return path(
          `M${x} ${y} q12 -16 24 0 q-12 12 -24 0Z`,
          index % 2 ? p.accent : '#ffffff',
          `${opacity} transform="rotate(${(random() * 180).toFixed(0)} ${x} ${y})"`,
        )
      default:
        return circle(x, y, size * 0.45, p.light, opacity)
    }
  })
  return sheet
}

/** Speed in pixels per second: `fall` is downwards, `sway` to the right. */
export const drift: Record<Weather, { fall: number; sway: number }> = {
  rain: { fall: 1500, sway: 0 },
  snow: { fall: 110, sway: 24 },
  embers: { fall: -140, sway: 18 },
  bubbles: { fall: -120, sway: 12 },
  dust: { fall: 26, sway: 30 },
  petals: { fall: 130, sway: 40 },
}
