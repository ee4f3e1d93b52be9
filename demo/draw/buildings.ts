import {
  circle,
  darker,
  ellipse,
  glow,
  left,
  lighter,
  line,
  linear,
  mix,
  path,
  rect,
  repeat,
  wide,
  type Palette,
  type Random,
} from './svg.ts'

/** Draws a row of towers with lit windows. The towers' feet are at `y`. */
export function skyline(
  random: Random,
  y: number,
  tall: number,
  colour: string,
  lit: string,
  chance = 0.3,
): string {
  let drawn = ''
  for (let x = left; x < left + wide;) {
    const w = 56 + random() * 74
    const h = tall * (0.4 + random() * 0.6)
    drawn += rect(x, y - h, w + 2, h + 400, colour) + rect(x, y - h, 6, h, lighter(colour, 0.1))
    if (random() < 0.3) drawn += line(`M${x + w / 2} ${y - h} v${-30 - random() * 60}`, colour, 5)
    for (let row = y - h + 22; row < y - 20; row += 30)
      for (let column = x + 12; column < x + w - 16; column += 24)
        if (random() < chance)
          drawn += rect(column, row, 12, 16, lit, `opacity="${(0.35 + random() * 0.6).toFixed(2)}"`)
    x += w
  }
  return drawn
}

export function house(
  x: number,
  y: number,
  w: number,
  h: number,
  p: Palette,
  options: { snow?: boolean; lit?: boolean } = {},
): string {
  const wall = mix(p.mid, p.near, 0.4)
  const lit = options.lit === false ? p.ink : p.light
  const roof = options.snow ? lighter(p.sky[2], 0.55) : darker(p.near, 0.3)
  const pane = (px: number, py: number): string =>
    (options.lit === false
      ? ''
      : glow(`g${Math.round(px)}${Math.round(py)}`, px + 16, py + 22, 70, p.light, 0.45)) +
    rect(px, py, 32, 44, lit) +
    line(`M${px + 16} ${py} v44 M${px} ${py + 22} h32`, wall, 4)
  return (
    rect(x + w * 0.66, y - h - w * 0.42, 26, 70, darker(wall, 0.3)) +
    path(`M${x} ${y} V${y - h} L${x + w / 2} ${y - h - w * 0.45} L${x + w} ${y - h} V${y}Z`, wall) +
    path(
      `M${x - 20} ${y - h + 14} L${x + w / 2} ${y - h - w * 0.45 - 14} L${x + w + 20} ${y - h + 14} L${x + w + 14} ${y - h - 12} L${x + w / 2} ${y - h - w * 0.45 - 44} L${x - 14} ${y - h - 12}Z`,
      roof,
    ) +
    pane(x + w * 0.16, y - h + 24) +
    pane(x + w * 0.62, y - h + 24) +
    rect(x + w * 0.4, y - 74, 40, 74, darker(wall, 0.45)) +
    circle(x + w * 0.4 + 31, y - 36, 3, p.light)
  )
}

/** Draws a lighthouse on its rock. The lamp is at (x, y - 560). */
export function lighthouse(x: number, y: number, p: Palette): string {
  return (
    linear('tower', [lighter(p.sky[2], 0.5), mix(p.mid, '#ffffff', 0.15)], 1, 0) +
    path(`M${x - 66} ${y} L${x - 40} ${y - 500} H${x + 40} L${x + 66} ${y}Z`, 'url(#tower)') +
    repeat(3, (index) =>
      path(
        `M${x - 60 + index * 9} ${y - 110 - index * 150} L${x - 55 + index * 8} ${y - 190 - index * 150} H${x + 55 - index * 8} L${x + 60 - index * 9} ${y - 110 - index * 150}Z`,
        p.accent,
        'opacity=".85"',
      ),
    ) +
    rect(x - 58, y - 514, 116, 16, p.ink) +
    rect(x - 34, y - 590, 68, 78, p.light) +
    line(`M${x - 34} ${y - 590} v78 M${x} ${y - 590} v78 M${x + 34} ${y - 590} v78`, p.ink, 5) +
    path(`M${x - 46} ${y - 588} Q${x} ${y - 660} ${x + 46} ${y - 588}Z`, p.ink) +
    line(`M${x} ${y - 630} v-34`, p.ink, 5) +
    rect(x - 12, y - 60, 26, 60, p.ink) +
    glow('beacon', x, y - 552, 190, p.light, 0.9)
  )
}

export function lamp(x: number, y: number, p: Palette, height = 420): string {
  return (
    line(`M${x} ${y} V${y - height} q0 -40 44 -40`, p.ink, 10) +
    path(`M${x + 24} ${y - height - 42} h44 l10 36 h-64Z`, p.ink) +
    glow(`lamp${Math.round(x)}`, x + 46, y - height + 6, 150, p.light, 0.85) +
    ellipse(x + 46, y - height - 4, 24, 9, lighter(p.light, 0.5))
  )
}

/** Draws a tall window with a view. */
export function window(
  x: number,
  y: number,
  w: number,
  h: number,
  p: Palette,
  view: string,
  arched = false,
): string {
  const id = `w${Math.round(x)}${Math.round(y)}`
  const outline = arched
    ? `M${x} ${y + h} V${y + w / 2} A${w / 2} ${w / 2} 0 0 1 ${x + w} ${y + w / 2} V${y + h}Z`
    : `M${x} ${y} h${w} v${h} h${-w}Z`
  return (
    `<clipPath id="${id}"><path d="${outline}"/></clipPath>` +
    `<g clip-path="url(#${id})">${view}</g>` +
    line(`${outline} M${x + w / 2} ${y} V${y + h} M${x} ${y + h * 0.5} h${w}`, darker(p.near, 0.25), 12) +
    rect(x - 22, y + h, w + 44, 20, darker(p.near, 0.1))
  )
}

export function curtain(x: number, y: number, w: number, h: number, colour: string): string {
  const folds = 5
  return (
    linear(`c${Math.round(x)}`, [colour, darker(colour, 0.45)]) +
    rect(x, y, w, h, `url(#c${Math.round(x)})`) +
    repeat(folds, (index) =>
      path(
        `M${x + (index * w) / folds} ${y} q${w / folds / 2} ${h / 2} 0 ${h} h${w / folds / 2} q${-w / folds / 4} ${-h / 2} 0 ${-h}Z`,
        '#000000',
        'opacity=".22"',
      ),
    )
  )
}

export function chandelier(x: number, y: number, p: Palette): string {
  return (
    line(`M${x} -60 V${y}`, p.light, 4) +
    glow('chand', x, y + 30, 300, p.light, 0.65) +
    line(
      `M${x - 130} ${y} Q${x} ${y + 110} ${x + 130} ${y} M${x - 70} ${y - 20} Q${x} ${y + 50} ${x + 70} ${y - 20}`,
      darker(p.light, 0.25),
      7,
    ) +
    repeat(7, (index) => {
      const cx = x - 130 + index * 43.3
      const cy = y + 48 - Math.abs(index - 3) * 17
      return (
        rect(cx - 4, cy - 34, 8, 28, '#fff6e0') +
        circle(cx, cy - 40, 9, lighter(p.light, 0.5)) +
        ellipse(cx, cy + 16, 4, 13, lighter(p.light, 0.3))
      )
    })
  )
}

export function shelves(random: Random, x: number, y: number, w: number, rows: number, p: Palette): string {
  const spines = [
    p.accent,
    darker(p.accent, 0.3),
    p.mid,
    lighter(p.mid, 0.15),
    darker(p.light, 0.45),
    p.far,
    mix(p.accent, p.mid, 0.5),
  ]
  return (
    rect(x, y, w, rows * 130 + 20, darker(p.near, 0.35)) +
    repeat(rows, (row) => {
      let books = ''
      for (let at = x + 14; at < x + w - 24;) {
        const thick = 14 + random() * 20
        const tall = 74 + random() * 36
        if (random() < 0.92)
          books +=
            rect(
              at,
              y + 14 + row * 130 + 110 - tall,
              thick,
              tall,
              spines[Math.floor(random() * spines.length)] ?? p.mid,
            ) + rect(at + 3, y + 14 + row * 130 + 122 - tall, thick - 6, 5, p.light, 'opacity=".45"')
        at += thick + 2
      }
      return books + rect(x, y + 124 + row * 130, w, 14, p.near)
    })
  )
}

/** Draws floor boards that meet at a vanishing point. */
export function floor(p: Palette, y: number, colour: string): string {
  return (
    linear('floor', [colour, darker(colour, 0.6)]) +
    rect(left, y, wide, 1340 - y, 'url(#floor)') +
    repeat(13, (index) =>
      line(`M${360 + (index - 6) * 50} ${y} L${360 + (index - 6) * 190} 1340`, p.ink, 3, 'opacity=".35"'),
    ) +
    rect(left, y - 14, wide, 14, darker(colour, 0.4))
  )
}
