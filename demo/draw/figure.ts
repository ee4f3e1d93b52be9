import type { Look } from './look.ts'
import { circle, darker, ellipse, lighter, line, mix, path, type Palette } from './svg.ts'

export type Pose = 'stand' | 'walk' | 'back' | 'sit' | 'reach' | 'kneel' | 'swim'

const skirted = (look: Look): boolean =>
  look.outfit === 'gown' || look.outfit === 'robe' || (look.outfit === 'coat' && !look.man)

function legs(look: Look, pose: Pose, dark: string): string {
  if (pose === 'swim') {
    const tail = 'M-36 -250 C-60 -150 -40 -90 -14 -50 L14 -50 C40 -90 60 -150 36 -250Z'
    const fluke = path(
      'M-14 -54 Q-40 -20 -92 -6 Q-40 12 0 -14 Q40 12 92 -6 Q40 -20 14 -54Z',
      lighter(look.cloth, 0.25),
    )
    const scales = [-210, -170, -130, -92]
      .map((y) => line(`M-30 ${y} q15 18 30 0 q15 18 30 0`, lighter(look.cloth, 0.3), 4, 'opacity=".6"'))
      .join('')
    return (
      fluke +
      path(tail, look.cloth) +
      path('M8 -240 C30 -150 20 -90 6 -50 H14 C40 -90 60 -150 36 -250Z', dark, 'opacity=".5"') +
      scales
    )
  }
  if (skirted(look) && pose !== 'sit')
    return (
      path('M-34 -250 C-44 -150 -70 -60 -78 -4 Q0 14 78 -4 C70 -60 44 -150 34 -250Z', look.cloth) +
      path('M6 -240 C20 -150 30 -60 30 4 Q60 4 78 -4 C70 -60 44 -150 34 -250Z', dark, 'opacity=".6"')
    )
  const trousers =
    look.outfit === 'chef' || look.outfit === 'shell' || look.outfit === 'suit'
      ? darker(look.cloth, 0.25)
      : mix(look.cloth, '#15141c', 0.72)
  switch (pose) {
    case 'walk':
      return (
        line('M-8 -210 L-22 -112 L-58 -12 h-16', darker(trousers, 0.25), 32) +
        line('M8 -210 L34 -112 L44 -12 h22', trousers, 34)
      )
    case 'sit':
      return (
        line('M-12 -150 L56 -146 L62 -14 h20', darker(trousers, 0.25), 34) +
        line('M0 -158 L76 -150 L84 -14 h22', trousers, 34)
      )
    case 'kneel':
      return (
        line('M-8 -150 L-40 -30 L-100 -14', darker(trousers, 0.25), 34) +
        line('M8 -150 L52 -110 L50 -12 h18', trousers, 34)
      )
    default:
      return (
        line('M-17 -210 L-20 -14 h-10', darker(trousers, 0.25), 33) +
        line('M17 -210 L20 -14 h12', trousers, 33)
      )
  }
}

function arms(look: Look, pose: Pose, dark: string): string {
  const sleeve = look.outfit === 'gown' ? look.skin : look.cloth
  const far = look.outfit === 'gown' ? darker(look.skin, 0.25) : dark
  const hand = (x: number, y: number): string => circle(x, y, 11, look.skin)
  switch (pose) {
    case 'reach':
      return (
        line('M-42 -330 L-54 -270 L-46 -214', far, 23) +
        hand(-46, -206) +
        line('M40 -330 L84 -312 L136 -338', sleeve, 23) +
        hand(146, -342)
      )
    case 'walk':
      return (
        line('M-42 -330 L-64 -274 L-52 -218', far, 23) +
        hand(-50, -208) +
        line('M42 -330 L58 -276 L82 -232', sleeve, 23) +
        hand(88, -224)
      )
    case 'sit':
      return (
        line('M-36 -316 L-40 -250 L10 -200', far, 22) +
        line('M40 -316 L56 -250 L88 -196', sleeve, 22) +
        hand(94, -188)
      )
    case 'kneel':
      return (
        line('M-40 -290 L-50 -230 L-20 -190', far, 22) +
        line('M40 -290 L80 -240 L110 -232', sleeve, 22) +
        hand(118, -232)
      )
    default:
      return (
        line('M-45 -330 L-58 -270 L-54 -208', far, 23) +
        hand(-53, -198) +
        line('M45 -330 L58 -270 L54 -208', sleeve, 23) +
        hand(53, -198)
      )
  }
}

/** Returns the shapes of the hair: [behind the head, in front of it]. */
function hairShape(look: Look, back: boolean): [string, string] {
  const colour = look.hair
  const long = look.style === 'long' || look.style === 'wavy'
  const fall = long
    ? path(
        'M-38 -420 C-56 -360 -50 -320 -52 -270 Q0 -252 52 -270 C50 -320 56 -360 38 -420Z',
        darker(colour, 0.2),
      )
    : ''
  const extra =
    look.style === 'bun'
      ? circle(0, -463, 20, colour)
      : look.style === 'curly'
        ? circle(-30, -415, 27, colour) +
          circle(30, -415, 27, colour) +
          circle(0, -438, 32, colour) +
          circle(-28, -385, 22, colour) +
          circle(28, -385, 22, colour)
        : look.style === 'ponytail'
          ? path('M10 -440 C64 -440 56 -370 66 -320 Q38 -340 34 -390Z', colour)
          : look.style === 'braid'
            ? line('M22 -380 C44 -350 36 -320 42 -290', colour, 16)
            : look.style === 'bob'
              ? path('M-42 -410 L-44 -364 H44 L42 -410Z', darker(colour, 0.2))
              : ''
  if (look.style === 'bald') return ['', '']
  const cap = back
    ? ellipse(0, -412, 35, 41, colour)
    : path('M-35 -402 C-44 -468 44 -468 35 -402 Q26 -428 8 -434 Q-24 -430 -35 -402Z', colour)
  return back ? ['', extra + cap + fall] : [fall + extra, cap]
}

function hat(look: Look, palette: Palette, back: boolean): string {
  const has = (name: string): boolean => look.extras?.some((extra) => extra === name) ?? false
  if (has('hat'))
    return (
      path('M-38 -424 C-40 -478 40 -478 38 -424Z', look.trim) +
      ellipse(0, -424, 66, 12, darker(look.trim, 0.3))
    )
  if (has('cap')) return path('M-40 -420 C-44 -470 44 -470 40 -420 Q0 -434 -40 -420Z', look.trim)
  if (has('toque'))
    return (
      circle(-24, -478, 22, '#f4efe6') +
      circle(24, -478, 22, '#f4efe6') +
      circle(0, -488, 26, '#f4efe6') +
      path('M-34 -428 L-32 -474 H32 L34 -428Z', '#dcd4c6')
    )
  if (has('crown'))
    return path('M-30 -434 L-36 -466 L-16 -450 L0 -476 L16 -450 L36 -466 L30 -434Z', palette.light)
  if (has('hood'))
    return (
      path('M0 -470 C-70 -470 -60 -380 -70 -310 H70 C60 -380 70 -470 0 -470Z', darker(look.cloth, 0.15)) +
      (back ? '' : ellipse(0, -404, 27, 37, mix(look.skin, palette.ink, 0.15)) + tinyFace(look))
    )
  return has('robot') ? line('M0 -446 v-24', look.trim, 4) + circle(0, -474, 7, palette.accent) : ''
}

function torso(look: Look, pose: Pose, dark: string, palette: Palette): string {
  const wide = look.man ? 58 : 48
  const hip = look.man ? 40 : 38
  const low = pose === 'sit' || pose === 'kneel' ? -140 : look.outfit === 'coat' && look.man ? -120 : -200
  const shape = `M-20 -358 C-${wide} -350 -${wide + 4} -330 -${wide} -300 L-${hip} ${low} Q0 ${low + 16} ${hip} ${low} L${wide} -300 C${wide + 4} -330 ${wide} -350 20 -358 Q0 -340 -20 -358Z`
  const front =
    look.outfit === 'suit'
      ? path('M-14 -354 L0 -270 L14 -354Z', '#ece7e1') + path('M-4 -344 h8 l3 60 l-7 12 l-7 -12Z', look.trim)
      : look.outfit === 'coat'
        ? path('M-16 -356 L0 -300 L16 -356Z', look.trim)
        : ''
  return (
    path(shape, look.cloth) +
    path(
      `M8 -346 L10 ${low + 10} L${hip} ${low} L${wide} -300 C${wide + 4} -330 ${wide} -350 20 -358Z`,
      dark,
      'opacity=".55"',
    ) +
    (pose === 'back' ? '' : front) +
    line(`M-${wide - 2} -304 C-${wide + 2} -330 -${wide - 6} -344 -30 -352`, palette.light, 4, 'opacity=".8"')
  )
}

function headFront(look: Look, palette: Palette): string {
  const has = (name: string): boolean => look.extras?.some((extra) => extra === name) ?? false
  const visor =
    path('M-26 -412 Q0 -420 26 -412 L24 -390 Q0 -382 -24 -390Z', '#10202b') +
    circle(-10, -401, 5, palette.light) +
    circle(10, -401, 5, palette.light)
  return (
    path('M-10 -376 L-10 -350 Q0 -342 10 -350 L10 -376Z', darker(look.skin, 0.3)) +
    ellipse(0, -404, 33, 40, look.skin) +
    path(
      'M4 -442 Q-6 -404 4 -366 A33 40 0 0 0 33 -404 Q33 -430 4 -442Z',
      darker(look.skin, 0.55),
      'opacity=".32"',
    ) +
    (has('robot') ? visor : tinyFace(look)) +
    (has('beard') ? path('M-32 -396 Q0 -380 32 -396 Q30 -340 0 -338 Q-30 -340 -32 -396Z', look.hair) : '')
  )
}

function tinyFace(look: Look): string {
  const brows = line('M-19 -411 q7 -5 13 -1 M7 -412 q6 -4 13 1', darker(look.hair, 0.3), 3)
  return (
    brows +
    ellipse(-12, -402, 3, 4, '#140f12') +
    ellipse(13, -402, 3, 4, '#140f12') +
    line('M-7 -381 q8 4 15 0', mix(look.skin, '#8c1c2c', 0.6), 3.5)
  )
}

/**
 * Draws a full figure, about 460 px tall, with the feet at the origin and light from the left.
 * The pose `back` shows the figure from behind.
 */
export function figure(look: Look, palette: Palette, pose: Pose): string {
  const dark = mix(darker(look.cloth, 0.45), palette.ink, 0.3)
  const toned: Look = {
    ...look,
    skin: mix(look.skin, palette.ink, 0.12),
    cloth: mix(look.cloth, palette.ink, 0.1),
  }
  const drop = pose === 'sit' || pose === 'kneel' ? 60 : 0
  const [behind, over] = hairShape(toned, pose === 'back')
  const head =
    (pose === 'back' ? '' : headFront(toned, palette)) +
    over +
    hat(look, palette, pose === 'back') +
    line('M-33 -396 C-36 -420 -28 -440 -12 -446', lighter(palette.light, 0.1), 4, 'opacity=".8"')
  const stool =
    pose === 'sit'
      ? line('M-34 -88 H40 M-24 -84 L-32 0 M30 -84 L36 0', mix(palette.ink, palette.mid, 0.35), 13)
      : ''
  return (
    (pose === 'swim' ? '' : ellipse(0, 2, 84, 13, palette.ink, 'opacity=".5"')) +
    stool +
    legs(toned, pose, dark) +
    `<g transform="translate(0 ${drop})">${behind}${torso(toned, pose, dark, palette)}${arms(toned, pose, dark)}${head}</g>`
  )
}
