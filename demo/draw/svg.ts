/** SVG and colour functions that all drawings use. */

/**
 * Frame size of the rendered video in pixels. Drawings extend past it by `bleed` on each side, so that the camera can
 * move.
 */
export const frame = { width: 720, height: 1280, bleed: 110 }

/** Left edge, right edge and width of a drawing, including the bleed. */
export const left = -frame.bleed
export const right = frame.width + frame.bleed
export const wide = right - left

export type Palette = {
  /** Sky or wall, from top to bottom. */
  sky: readonly [string, string, string]
  far: string
  mid: string
  near: string
  /** The darkest tone: foreground, vignette, foot of portraits. */
  ink: string
  /** Light sources: windows, lamps, moon, rim light. */
  light: string
  accent: string
}

function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** Mixes two `#rrggbb` colours. A `share` of 0 returns `from`, 1 returns `to`. */
export function mix(from: string, to: string, share: number): string {
  const end = channels(to)
  const mixed = channels(from).map((channel, index) =>
    Math.round(channel + ((end[index] ?? 0) - channel) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

export const lighter = (colour: string, share: number): string => mix(colour, '#ffffff', share)
export const darker = (colour: string, share: number): string => mix(colour, '#000000', share)

type Stop = string | readonly [colour: string, opacity: number]

function stops(list: readonly Stop[]): string {
  return list
    .map((stop, index) => {
      const [colour, opacity] = typeof stop === 'string' ? [stop, 1] : stop
      return `<stop offset="${index / Math.max(1, list.length - 1)}" stop-color="${colour}" stop-opacity="${opacity}"/>`
    })
    .join('')
}

/** Defines a linear gradient, by default vertical, for use as `url(#id)`. */
export function linear(id: string, list: readonly Stop[], x2 = 0, y2 = 1): string {
  return `<defs><linearGradient id="${id}" x1="0" y1="0" x2="${x2}" y2="${y2}">${stops(list)}</linearGradient></defs>`
}

function radial(id: string, list: readonly Stop[]): string {
  return `<defs><radialGradient id="${id}">${stops(list)}</radialGradient></defs>`
}

export function path(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}" ${more}/>`
}

export function line(d: string, stroke: string, width: number, more = ''): string {
  return `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`
}

export function circle(x: number, y: number, r: number, fill: string, more = ''): string {
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}" ${more}/>`
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: string, more = ''): string {
  return `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}" ${more}/>`
}

export function group(content: string, transform: string, more = ''): string {
  return `<g transform="${transform}" ${more}>${content}</g>`
}

/** Draws a soft round light. */
export function glow(id: string, x: number, y: number, r: number, colour: string, strength = 0.8): string {
  return (
    radial(id, [
      [colour, strength],
      [colour, strength * 0.35],
      [colour, 0],
    ]) + circle(x, y, r, `url(#${id})`)
  )
}

/** Returns an SVG document that shows the given rectangle of the drawing. */
export function document(
  content: string,
  view: { x: number; y: number; width: number; height: number },
  scale = 1,
): Buffer {
  const { x, y, width, height } = view
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" ` +
      `viewBox="${x} ${y} ${width} ${height}">${content}</svg>`,
  )
}

export type Random = () => number

/**
 * Returns a random number generator with a seed (mulberry32 over an FNV-1a hash), so that every machine renders the
 * same images and audio.
 */
export function seeded(seed: string): Random {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Calls `each` with 0 … count - 1 and returns the results. */
function times<T>(count: number, each: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => each(index))
}

export function repeat(count: number, each: (index: number) => string): string {
  return times(count, each).join('')
}
