import type { Look } from './look.ts'
import { darker, lighter, line, path, type Palette, circle } from './svg.ts'

const cx = 360

/** Draws the hair behind the head and shoulders. */
export function hairBack(look: Look, palette: Palette): string {
  const colour = darker(look.hair, 0.28)
  const rim = line(
    `M${cx + 150} 460 C${cx + 176} 600 ${cx + 160} 700 ${cx + 190} 830`,
    palette.light,
    5,
    'opacity=".5"',
  )
  switch (look.style) {
    case 'long':
      return (
        path(
          `M${cx} 318 C${cx - 190} 320 ${cx - 150} 560 ${cx - 188} 860 Q${cx} 900 ${cx + 188} 860 C${cx + 150} 560 ${cx + 190} 320 ${cx} 318Z`,
          colour,
        ) + rim
      )
    case 'wavy':
      return (
        path(
          `M${cx} 312 C${cx - 205} 312 ${cx - 140} 500 ${cx - 190} 600 C${cx - 240} 700 ${cx - 160} 740 ${cx - 214} 850 Q${cx} 920 ${cx + 214} 850 C${cx + 160} 740 ${cx + 240} 700 ${cx + 190} 600 C${cx + 140} 500 ${cx + 205} 312 ${cx} 312Z`,
          colour,
        ) + rim
      )
    case 'bob':
      return path(
        `M${cx} 318 C${cx - 200} 318 ${cx - 166} 560 ${cx - 158} 660 Q${cx - 100} 690 ${cx - 60} 650 H${cx + 60} Q${cx + 100} 690 ${cx + 158} 660 C${cx + 166} 560 ${cx + 200} 318 ${cx} 318Z`,
        colour,
      )
    case 'curly':
      return [
        [-120, 400, 84],
        [-150, 500, 80],
        [-140, 600, 74],
        [120, 400, 84],
        [150, 500, 80],
        [140, 600, 74],
        [0, 350, 110],
        [-70, 350, 90],
        [70, 350, 90],
      ]
        .map(([dx = 0, y = 0, r = 0]) => circle(cx + dx, y, r, colour))
        .join('')
    case 'bun':
      return circle(cx, 306, 66, colour) + circle(cx + 10, 298, 44, look.hair)
    case 'ponytail':
      return (
        path(
          `M${cx + 60} 340 C${cx + 240} 340 ${cx + 210} 560 ${cx + 236} 760 Q${cx + 160} 720 ${cx + 150} 560Z`,
          colour,
        ) + rim
      )
    case 'braid':
      return path(
        `M${cx} 318 C${cx - 180} 320 ${cx - 150} 520 ${cx - 120} 640 H${cx + 120} C${cx + 150} 520 ${cx + 180} 320 ${cx} 318Z`,
        colour,
      )
    default:
      return ''
  }
}

/** Draws the fringe, the crown of the head, and the hair in front of the shoulders. */
export function hairFront(look: Look, palette: Palette, turn: number): string {
  const colour = look.hair
  const shine = lighter(look.hair, 0.2)
  const part = cx + (turn < 0 ? 40 : -40)
  const cap = `M${cx - 128} 520 C${cx - 150} 300 ${cx + 150} 300 ${cx + 128} 520`
  const sheen =
    line(`M${cx - 88} 408 Q${cx - 62} 376 ${cx - 14} 367`, shine, 8, 'opacity=".5"') +
    line(`M${cx + 112} 458 C${cx + 104} 400 ${cx + 66} 374 ${cx + 22} 366`, palette.light, 5, 'opacity=".6"')
  switch (look.style) {
    case 'bald':
      return line(
        `M${cx - 60} 372 Q${cx - 10} 352 ${cx + 40} 362`,
        lighter(look.skin, 0.4),
        8,
        'opacity=".6"',
      )
    case 'short':
      return (
        path(
          `${cap} Q${cx + 112} 430 ${cx + 84} 426 Q${cx + 20} 446 ${part - 30} 404 Q${cx - 90} 440 ${cx - 108} 452 Q${cx - 118} 480 ${cx - 128} 520Z`,
          colour,
        ) + sheen
      )
    case 'crop':
      return (
        path(
          `M${cx - 124} 500 C${cx - 140} 318 ${cx + 140} 318 ${cx + 124} 500 Q${cx + 112} 420 ${cx + 70} 410 Q${cx} 396 ${cx - 70} 410 Q${cx - 112} 420 ${cx - 124} 500Z`,
          colour,
        ) + sheen
      )
    case 'slick':
      return (
        path(
          `${cap} Q${cx + 116} 440 ${cx + 80} 402 Q${cx} 376 ${cx - 80} 402 Q${cx - 116} 440 ${cx - 128} 520Z`,
          colour,
        ) + sheen
      )
    case 'curly':
      return (
        [
          [-96, 416, 46],
          [-46, 386, 52],
          [14, 376, 54],
          [70, 392, 50],
          [108, 430, 42],
          [-118, 470, 34],
          [120, 478, 32],
        ]
          .map(([dx = 0, y = 0, r = 0]) => circle(cx + dx, y, r, colour))
          .join('') + sheen
      )
    case 'bun':
    case 'ponytail':
      return (
        path(
          `${cap} Q${cx + 118} 450 ${cx + 60} 404 Q${part} 384 ${part - 10} 392 Q${cx - 108} 430 ${cx - 128} 520Z`,
          colour,
        ) + sheen
      )
    case 'braid':
      return (
        path(`${cap} Q${cx + 112} 440 ${part + 10} 396 Q${cx - 108} 440 ${cx - 128} 520Z`, colour) +
        sheen +
        [680, 728, 776, 824, 868]
          .map((y, index) =>
            path(
              `M${cx + 84} ${y - 30} q52 -14 60 34 q-30 40 -60 20 q-30 -20 0 -54Z`,
              index % 2 ? colour : darker(colour, 0.15),
            ),
          )
          .join('') +
        path(
          `M${cx + 90} 500 C${cx + 150} 540 ${cx + 140} 600 ${cx + 130} 670 L${cx + 92} 660 C${cx + 110} 600 ${cx + 110} 560 ${cx + 90} 500Z`,
          colour,
        )
      )
    default:
      return (
        path(
          `${cap} L${cx + 142} 690 Q${cx + 112} 640 ${cx + 112} 540 Q${cx + 104} 440 ${part + 6} 386 Q${cx - 104} 440 ${cx - 112} 540 Q${cx - 112} 640 ${cx - 142} 690Z`,
          colour,
        ) + sheen
      )
  }
}
