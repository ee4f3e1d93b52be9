import type { PlaceName } from './sets.ts'
import { circle, ellipse, glow, lighter, line, linear, path, rect, repeat, type Palette } from './svg.ts'

/** A small moving object in a wide shot. `x` and `y` are ffmpeg expressions of the time `t` in the shot. */
export type Mover = { drawn: string; width: number; height: number; x: string; y: string; behind: boolean }

const bird = (p: Palette): string =>
  repeat(4, (index) =>
    line(`M${10 + index * 42} ${40 + (index % 2) * 26} q14 -18 22 0 q8 -18 22 0`, p.ink, 5),
  )
const car = (p: Palette): string =>
  path('M10 90 q4 -34 50 -38 q40 -44 110 -40 q60 4 84 42 q46 4 46 38Z', p.ink) +
  path('M76 52 q34 -28 60 -28 v28Z M146 24 q50 2 66 28 h-66Z', p.light, 'opacity=".6"') +
  circle(74, 92, 22, '#0a0a10') +
  circle(236, 92, 22, '#0a0a10') +
  glow('hl', 298, 70, 60, p.light, 0.9)
const carriages = (p: Palette): string =>
  repeat(
    3,
    (index) =>
      rect(index * 560, 0, 548, 250, p.ink, 'rx="16"') +
      rect(index * 560, 170, 548, 14, p.accent) +
      repeat(5, (pane) => rect(index * 560 + 30 + pane * 104, 50, 76, 84, p.light, 'rx="8" opacity=".95"')),
  )
const boat = (p: Palette): string =>
  path('M10 96 H190 L160 136 H40Z', p.ink) +
  path('M96 10 V88 H30Z', lighter(p.light, 0.3)) +
  path('M104 24 V88 H160Z', p.accent) +
  circle(98, 8, 6, p.light)
const beam = (p: Palette): string =>
  linear(
    'beam',
    [
      [p.light, 0],
      [p.light, 0.4],
      [p.light, 0],
    ],
    1,
    0,
  ) + path('M120 0 H420 L300 1360 H0Z', 'url(#beam)')
const fish = (p: Palette): string =>
  repeat(6, (index) =>
    path(
      `M${10 + (index % 3) * 74} ${30 + Math.floor(index / 3) * 56 + (index % 2) * 14} q24 -24 52 0 l16 -12 v24 l-16 -12 q-28 24 -52 0Z`,
      index % 2 ? p.light : p.accent,
    ),
  )
const smoke = (p: Palette): string =>
  repeat(5, (index) =>
    ellipse(
      70 + (index % 2) * 20,
      30 + index * 38,
      34 - index * 5,
      20 - index * 2,
      lighter(p.sky[2], 0.4),
      `opacity="${0.2 + index * 0.06}"`,
    ),
  )
const streak = (p: Palette): string =>
  linear(
    'st',
    [
      [p.light, 0],
      [p.light, 0.9],
      [p.light, 0],
    ],
    1,
    0,
  ) +
  rect(0, 0, 300, 10, 'url(#st)') +
  rect(120, 60, 300, 6, 'url(#st)') +
  rect(40, 190, 260, 8, 'url(#st)')

const movers: Partial<Record<PlaceName, (p: Palette) => Mover>> = {
  city: (p) => ({
    drawn: bird(p),
    width: 190,
    height: 90,
    x: '-150+70*t',
    y: '360-12*t+8*sin(5*t)',
    behind: true,
  }),
  street: (p) => ({
    drawn: car(p),
    width: 360,
    height: 120,
    x: 'mod(760-240*t+1200,1200)-400',
    y: '930',
    behind: false,
  }),
  coast: (p) => ({
    drawn: boat(p),
    width: 200,
    height: 140,
    x: '40+24*t',
    y: '590+6*sin(2*t)',
    behind: true,
  }),
  sea: (p) => ({ drawn: boat(p), width: 200, height: 140, x: '90+26*t', y: '600+6*sin(2*t)', behind: true }),
  reef: (p) => ({
    drawn: fish(p),
    width: 250,
    height: 130,
    x: '720-110*t',
    y: '420+16*sin(3*t)',
    behind: false,
  }),
  dunes: (p) => ({
    drawn: bird(p),
    width: 190,
    height: 90,
    x: '620-60*t',
    y: '300+10*sin(3*t)',
    behind: true,
  }),
  village: (p) => ({
    drawn: smoke(p),
    width: 160,
    height: 220,
    x: '560+10*sin(t)',
    y: '560-16*t',
    behind: false,
  }),
  forest: (p) => ({
    drawn: bird(p),
    width: 190,
    height: 90,
    x: '-100+90*t',
    y: '260+12*sin(4*t)',
    behind: true,
  }),
  station: (p) => ({ drawn: carriages(p), width: 1680, height: 250, x: '720-420*t', y: '660', behind: true }),
  compartment: (p) => ({
    drawn: streak(p),
    width: 430,
    height: 210,
    x: '720-mod(900*t,1500)',
    y: '420',
    behind: true,
  }),
  lantern: (p) => ({
    drawn: beam(p),
    width: 420,
    height: 1360,
    x: 'mod(420*t,1500)-600',
    y: '-40',
    behind: false,
  }),
  garden: (p) => ({
    drawn: bird(p),
    width: 190,
    height: 90,
    x: '-100+80*t',
    y: '330+14*sin(4*t)',
    behind: true,
  }),
}

export function moverOf(place: PlaceName, palette: Palette): Mover | undefined {
  return movers[place]?.(palette)
}
