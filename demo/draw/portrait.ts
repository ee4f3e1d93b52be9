import { hairBack, hairFront } from './hair.ts'
import type { Extra, Look } from './look.ts'
import { bust } from './outfit.ts'
import { circle, darker, ellipse, lighter, line, mix, path, rect, type Palette } from './svg.ts'

export type Mood = 'calm' | 'sad' | 'shock' | 'anger' | 'smile' | 'smirk' | 'worry' | 'closed'

/**
 * Features of each mood: heights of the brows (`inner` and `outer`; positive is up), opening of the eyes, curve of the
 * mouth (positive smiles) and opening of the mouth.
 */
const faces: Record<Mood, { inner: number; outer: number; eye: number; curve: number; open: number }> = {
  calm: { inner: 0, outer: 2, eye: 1, curve: 3, open: 0 },
  sad: { inner: 16, outer: -8, eye: 0.75, curve: -9, open: 0 },
  shock: { inner: 18, outer: 14, eye: 1.4, curve: -2, open: 22 },
  anger: { inner: -14, outer: 12, eye: 0.8, curve: -8, open: 0 },
  smile: { inner: 6, outer: 4, eye: 0.9, curve: 16, open: 5 },
  smirk: { inner: -4, outer: 12, eye: 0.75, curve: 10, open: 0 },
  worry: { inner: 14, outer: 0, eye: 1.1, curve: -5, open: 3 },
  closed: { inner: 4, outer: 0, eye: 0.02, curve: 2, open: 0 },
}

type Face = { look: Look; palette: Palette; turn: number }

/**
 * Horizontal centre of the face. When the head is turned, `features` shifts the eyes, nose and mouth sideways, and
 * `featuresOf` narrows the far eye.
 */
const cx = 360
const eyeY = 508
const features = (turn: number) => ({
  left: cx - 54 + turn * 26,
  right: cx + 54 + turn * 26,
  nose: cx + turn * 36,
  mouth: cx + turn * 28,
})

function headShape(look: Look): string {
  const jaw = look.man ? 92 : 74
  const chin = look.man ? 664 : 668
  return (
    `M${cx - 117} 490 C${cx - 124} 345 ${cx + 124} 345 ${cx + 117} 490 ` +
    `C${cx + 116} 560 ${cx + jaw + 14} 612 ${cx + jaw - 22} 638 Q${cx + 30} ${chin} ${cx} ${chin} ` +
    `Q${cx - 30} ${chin} ${cx - jaw + 22} 638 C${cx - jaw - 14} 612 ${cx - 116} 560 ${cx - 117} 490Z`
  )
}

function eye(x: number, wide: number, { look }: Face, open: number): string {
  const lid = darker(look.hair, 0.55)
  const height = 15 * open
  const white = `M${x - wide} ${eyeY + 3} Q${x} ${eyeY - height * 1.55} ${x + wide} ${eyeY} Q${x} ${eyeY + height * 1.15} ${x - wide} ${eyeY + 3}Z`
  if (open < 0.2) return line(`M${x - wide} ${eyeY + 2} Q${x} ${eyeY + 16} ${x + wide} ${eyeY}`, lid, 6)
  const id = `eye${Math.round(x)}`
  return (
    `<clipPath id="${id}"><path d="${white}"/></clipPath>` +
    path(white, mix('#ffffff', look.skin, 0.12)) +
    `<g clip-path="url(#${id})">${circle(x + 1, eyeY - 1, 14, mix(look.hair, '#3b2a20', 0.5))}${circle(x + 1, eyeY - 1, 7, '#0b0808')}` +
    `${rect(x - wide, eyeY - 30, wide * 2, 22 - height * 0.2, darker(look.skin, 0.35), 'opacity=".45"')}${circle(x + 6, eyeY - 6, 4, '#ffffff')}</g>` +
    line(`M${x - wide} ${eyeY + 3} Q${x} ${eyeY - height * 1.6} ${x + wide} ${eyeY}`, lid, look.man ? 5 : 7) +
    (look.man ? '' : line(`M${x + Math.sign(x - cx) * wide} ${eyeY} l${Math.sign(x - cx) * 8} -7`, lid, 5))
  )
}

function brow(x: number, side: number, face: Face, mood: Mood): string {
  const { inner, outer } = faces[mood]
  const colour = face.look.old ? mix(face.look.hair, '#8c8794', 0.3) : darker(face.look.hair, 0.25)
  const y = 468
  return line(
    `M${x - side * 30} ${y - inner} Q${x + side * 8} ${y - 12 - (inner + outer) / 2} ${x + side * 36} ${y - outer + 4}`,
    colour,
    face.look.man ? 13 : 9,
  )
}

function mouth(face: Face, mood: Mood, talking: boolean): string {
  const { curve, open } = faces[mood]
  const x = features(face.turn).mouth
  const half = mood === 'shock' ? 20 : 34
  const gap = talking ? Math.max(open, 13) : open
  const lip = face.look.man
    ? darker(face.look.skin, 0.34)
    : mix(mix(face.look.skin, '#a01c34', 0.62), face.palette.accent, 0.12)
  const y = 606
  const tilt = mood === 'smirk' ? 9 : 0
  const left = `${x - half} ${y - curve * 0.6 + tilt}`
  const right = `${x + half} ${y - curve * 0.6 - tilt}`
  const upper = `Q${x - 16} ${y - 11 + curve * 0.2} ${x} ${y - 5} Q${x + 16} ${y - 11 + curve * 0.2} ${right}`
  const lower = `Q${x} ${y + 19 + curve * 0.9 + gap * 1.5} ${left}`
  const dark =
    gap > 2
      ? path(
          `M${left} Q${x} ${y + curve * 0.5 - 3} ${right} Q${x} ${y + curve * 0.9 + gap * 1.5} ${left}Z`,
          '#3a0c14',
        )
      : ''
  const seam = gap > 2 ? '' : line(`M${left} Q${x} ${y + curve * 0.9} ${right}`, darker(lip, 0.45), 3.5)
  return path(`M${left} ${upper} ${lower}Z`, lip) + dark + seam
}

function nose({ look, turn }: Face): string {
  const x = features(turn).nose
  const shade = darker(look.skin, 0.26)
  const side = turn < 0 ? -1 : 1
  return (
    path(
      `M${x - side * 6} 500 Q${x + side * 4} 545 ${x + side * 17} 562 Q${x} 574 ${x - side * 15} 562 Q${x - side * 3} 548 ${x - side * 6} 500Z`,
      shade,
      'opacity=".5"',
    ) + line(`M${x - 13} 564 Q${x} 572 ${x + 13} 564`, darker(look.skin, 0.42), 3.5)
  )
}

function extrasFront({ look, palette, turn }: Face): string {
  const { left, right, mouth: mx } = features(turn)
  const has = (extra: Extra): boolean => look.extras?.includes(extra) ?? false
  const parts: string[] = []
  if (has('beard'))
    parts.push(
      path(
        `M${cx - 112} 540 Q${cx - 100} 582 ${mx - 46} 582 Q${mx} 566 ${mx + 46} 582 Q${cx + 100} 582 ${cx + 112} 540 C${cx + 112} 660 ${cx + 60} 716 ${cx} 718 C${cx - 60} 716 ${cx - 112} 660 ${cx - 112} 540Z`,
        look.hair,
      ),
    )
  if (has('moustache'))
    parts.push(
      path(
        `M${mx} 580 Q${mx - 34} 576 ${mx - 52} 606 Q${mx - 20} 604 ${mx} 592 Q${mx + 20} 604 ${mx + 52} 606 Q${mx + 34} 576 ${mx} 580Z`,
        look.hair,
      ),
    )
  if (has('glasses')) {
    const rim = darker(palette.ink, 0.2)
    for (const x of [left, right])
      parts.push(
        ellipse(
          x,
          eyeY,
          42,
          38,
          lighter(palette.light, 0.4),
          `fill-opacity=".14" stroke="${rim}" stroke-width="6"`,
        ),
      )
    parts.push(
      line(`M${left + 42} ${eyeY - 4} Q${(left + right) / 2} ${eyeY - 16} ${right - 42} ${eyeY - 4}`, rim, 6),
    )
  }
  if (has('scar')) parts.push(line(`M${left - 12} 545 l16 44`, lighter(look.skin, 0.35), 5))
  return parts.join('')
}

function headwear({ look, palette }: Face): string {
  const has = (extra: Extra): boolean => look.extras?.includes(extra) ?? false
  const parts: string[] = []
  if (has('hat'))
    parts.push(
      path(
        `M${cx - 122} 424 C${cx - 124} 270 ${cx - 70} 262 ${cx} 292 C${cx + 70} 262 ${cx + 124} 270 ${cx + 122} 424Z`,
        look.trim,
      ) +
        path(
          `M${cx - 215} 432 Q${cx} 356 ${cx + 215} 432 Q${cx} 478 ${cx - 215} 432Z`,
          darker(look.trim, 0.25),
        ) +
        path(
          `M${cx - 122} 416 Q${cx} 366 ${cx + 122} 416 L${cx + 122} 388 Q${cx} 340 ${cx - 122} 388Z`,
          darker(look.trim, 0.5),
        ),
    )
  if (has('cap'))
    parts.push(
      path(
        `M${cx - 128} 436 C${cx - 136} 290 ${cx + 136} 290 ${cx + 128} 436 Q${cx} 392 ${cx - 128} 436Z`,
        look.trim,
      ) +
        path(
          `M${cx - 118} 430 Q${cx} 380 ${cx + 118} 430 Q${cx + 90} 462 ${cx} 452 Q${cx - 90} 462 ${cx - 118} 430Z`,
          darker(look.trim, 0.5),
        ) +
        circle(cx, 372, 17, palette.light),
    )
  if (has('toque'))
    parts.push(
      path(
        `M${cx - 108} 330 C${cx - 200} 300 ${cx - 170} 170 ${cx - 70} 196 C${cx - 40} 120 ${cx + 60} 120 ${cx + 76} 194 C${cx + 172} 172 ${cx + 196} 300 ${cx + 108} 330Z`,
        '#f4efe6',
      ) +
        path(
          `M${cx - 118} 424 Q${cx} 380 ${cx + 118} 424 L${cx + 110} 322 Q${cx} 290 ${cx - 110} 322Z`,
          '#dcd4c6',
        ),
    )
  if (has('crown'))
    parts.push(
      path(
        `M${cx - 96} 392 L${cx - 118} 300 L${cx - 58} 344 L${cx} 272 L${cx + 58} 344 L${cx + 118} 300 L${cx + 96} 392 Q${cx} 356 ${cx - 96} 392Z`,
        palette.light,
      ) +
        circle(cx, 266, 11, palette.accent) +
        circle(cx - 120, 294, 9, palette.accent) +
        circle(cx + 120, 294, 9, palette.accent),
    )
  if (has('hood'))
    parts.push(
      `<path fill-rule="evenodd" fill="${look.cloth}" d="M${cx} 262 C${cx - 210} 268 ${cx - 190} 560 ${cx - 232} 780 L${cx + 232} 780 C${cx + 190} 560 ${cx + 210} 268 ${cx} 262Z M${cx} 366 C${cx + 138} 366 ${cx + 132} 620 ${cx + 60} 716 L${cx - 60} 716 C${cx - 132} 620 ${cx - 138} 366 ${cx} 366Z"/>` +
        line(
          `M${cx - 60} 716 C${cx - 132} 620 ${cx - 138} 366 ${cx} 366 C${cx + 138} 366 ${cx + 132} 620 ${cx + 60} 716`,
          lighter(look.cloth, 0.22),
          7,
        ),
    )
  return parts.join('')
}

function robotFace({ look, palette, turn }: Face, mood: Mood): string {
  const { left, right, mouth: mx } = features(turn)
  const { curve, eye: open } = faces[mood]
  const visor = `M${cx - 96} 470 Q${cx} 440 ${cx + 96} 470 L${cx + 90} 552 Q${cx} 584 ${cx - 90} 552Z`
  return (
    path(visor, '#10202b') +
    [left, right]
      .map((x) =>
        open < 0.2
          ? line(`M${x - 22} 510 q22 16 44 0`, palette.light, 7)
          : ellipse(x, 508, 18, 22 * open, palette.light) + circle(x + 6, 500, 6, '#ffffff'),
      )
      .join('') +
    line(`M${mx - 30} 612 Q${mx} ${612 + curve * 1.4} ${mx + 30} 612`, palette.accent, 6) +
    line(`M${cx - 117} 500 h-14 M${cx + 117} 500 h14`, look.trim, 26) +
    line(`M${cx} 380 v-70`, look.trim, 7) +
    circle(cx, 300, 15, palette.accent)
  )
}

/** Draws shadow on the side away from the light, rim light on the other side, and warm cheeks. */
function shading({ look, palette, turn }: Face): string {
  const lit = turn < 0 ? 1 : -1
  const head = headShape(look)
  const edge = cx - lit * 14
  return (
    `<clipPath id="head"><path d="${head}"/></clipPath><g clip-path="url(#head)">` +
    path(
      `M${edge} 340 Q${edge - lit * 44} 430 ${edge - lit * 18} 500 Q${edge - lit * 70} 560 ${edge - lit * 14} 690 L${cx - lit * 180} 700 V330Z`,
      mix(mix(look.skin, '#7a1f2a', 0.5), palette.ink, 0.45),
      'opacity=".36"',
    ) +
    ellipse(features(turn).left - 14, 556, 30, 19, mix(look.skin, '#d8394f', 0.5), 'opacity=".18"') +
    ellipse(features(turn).right + 14, 556, 30, 19, mix(look.skin, '#d8394f', 0.5), 'opacity=".18"') +
    `<path d="${head}" fill="none" stroke="${palette.light}" stroke-width="16" opacity=".75" transform="translate(${-lit * 9} 6)" clip-path="url(#lit)"/></g>` +
    `<clipPath id="lit"><rect x="${lit > 0 ? cx + 60 : cx - 200}" y="300" width="140" height="400"/></clipPath>`
  )
}

function neck({ look, palette }: Face): string {
  const half = look.man ? 66 : 48
  const d = `M${cx - half} 610 C${cx - half} 700 ${cx - half - 6} 720 ${cx - half - 46} 760 L${cx} 850 L${cx + half + 46} 760 C${cx + half + 6} 720 ${cx + half} 700 ${cx + half} 610Z`
  const shadow = `M${cx - half} 624 Q${cx} 700 ${cx + half} 624 L${cx + half} 676 Q${cx} 776 ${cx - half} 676Z`
  return (
    path(d, mix(look.skin, palette.ink, 0.1)) +
    path(shadow, mix(darker(look.skin, 0.45), palette.ink, 0.3), 'opacity=".75"')
  )
}

/**
 * Draws a head and shoulders in a space of 720×1280 px, with the eyes at y = 508. `turn` is −1 (left) to 1 (right); 0
 * is frontal. `lids` and `speech` draw overlays with closed eyes and an open mouth.
 */
export function portrait(look: Look, palette: Palette, mood: Mood, turn = 0): string {
  const face: Face = { look, palette, turn }
  const head = look.extras?.includes('robot') ? robotFace(face, mood) : featuresOf(face, mood)
  return (
    hairBack(look, palette) +
    neck(face) +
    bust(look, palette) +
    ears(face) +
    path(headShape(look), look.skin) +
    shading(face) +
    head +
    hairFront(look, palette, turn) +
    headwear(face)
  )
}

function ears({ look }: Face): string {
  const shade = darker(look.skin, 0.18)
  const ring = look.extras?.includes('earrings')
    ? circle(cx - 122, 566, 9, look.trim) + circle(cx + 122, 566, 9, look.trim)
    : ''
  return ellipse(cx - 117, 520, 19, 33, shade) + ellipse(cx + 117, 520, 19, 33, shade) + ring
}

function featuresOf(face: Face, mood: Mood): string {
  const { left, right } = features(face.turn)
  const { eye: open } = faces[mood]
  const near = 33
  const far = 33 - Math.abs(face.turn) * 6
  return (
    nose(face) +
    eye(left, face.turn < 0 ? far : near, face, open) +
    eye(right, face.turn > 0 ? far : near, face, open) +
    brow(left, -1, face, mood) +
    brow(right, 1, face, mood) +
    mouth(face, mood, false) +
    (face.look.old
      ? line(
          `M${left - 46} 548 q8 16 22 20 M${right + 46} 548 q-8 16 -22 20 M${cx - 60} 426 q60 -12 120 0`,
          darker(face.look.skin, 0.3),
          3,
          'opacity=".7"',
        )
      : '') +
    extrasFront(face)
  )
}

/** Draws the closed lids of a blink, in the portrait's space. */
export function lids(look: Look, palette: Palette, turn: number): string {
  if (look.extras?.includes('robot')) return ''
  const face: Face = { look, palette, turn }
  const { left, right } = features(turn)
  return [left, right]
    .map(
      (x) => ellipse(x, eyeY - 2, 37, 22, mix(look.skin, darker(look.skin, 0.3), 0.35)) + eye(x, 33, face, 0),
    )
    .join('')
}

/** Draws a mouth that is open for speech, in the portrait's space. */
export function speech(look: Look, palette: Palette, mood: Mood, turn: number): string {
  if (look.extras?.includes('robot')) return ''
  return mouth({ look, palette, turn }, mood === 'shock' ? 'worry' : mood, true)
}
