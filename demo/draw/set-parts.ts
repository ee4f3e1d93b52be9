import { skyline } from './buildings.ts'
import { darker, left, linear, mix, path, rect, repeat, wide, type Palette, type Random } from './svg.ts'

/**
 * A location as three layers. `back` fills the frame; `middle` and `front` are partly transparent. The floor is at y =
 * 1060.
 */
export type Place = { back: string; middle: string; front: string }
export type Builder = (p: Palette, random: Random) => Place

export const wall = (p: Palette): string => linear('wall', p.sky) + rect(left, -60, wide, 1400, 'url(#wall)')
export const ground = (p: Palette, y: number, colour: string): string =>
  linear('ground', [colour, p.ink]) + rect(left, y, wide, 1340 - y, 'url(#ground)')
export const nightView = (p: Palette, random: Random, y: number): string =>
  linear('view', [p.ink, p.far, mix(p.far, p.light, 0.4)]) +
  rect(left, -60, wide, 1400, 'url(#view)') +
  skyline(random, y, 380, darker(p.far, 0.35), p.light, 0.4)
export const leaves = (random: Random, x: number, colour: string, way: number): string =>
  repeat(7, (index) =>
    path(
      `M${x} 1340 q${way * (60 + index * 34)} ${-140 - index * 34} ${way * (90 + index * 40)} ${-60 - random() * 300} q${way * -10} ${170 + index * 10} ${way * -90 - way * index * 40} ${360}Z`,
      index % 2 ? colour : darker(colour, 0.25),
    ),
  )
