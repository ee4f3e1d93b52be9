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
  right,
  wide,
  type Palette,
  type Random,
} from './svg.ts'

export function backdrop(p: Palette): string {
  return linear('sky', p.sky) + rect(left, -60, wide, 1400, 'url(#sky)')
}

export function stars(random: Random, count: number, colour: string, depth = 620): string {
  return repeat(count, () =>
    circle(
      left + random() * wide,
      random() * depth,
      0.8 + random() * 2.2,
      colour,
      `opacity="${(0.3 + random() * 0.7).toFixed(2)}"`,
    ),
  )
}

export function moon(x: number, y: number, r: number, colour: string): string {
  return (
    glow('moon', x, y, r * 3.4, colour, 0.5) +
    circle(x, y, r, lighter(colour, 0.35)) +
    circle(x - r * 0.3, y - r * 0.2, r * 0.2, colour, 'opacity=".5"') +
    circle(x + r * 0.35, y + r * 0.3, r * 0.13, colour, 'opacity=".5"')
  )
}

export function clouds(random: Random, count: number, y: number, colour: string, opacity = 0.25): string {
  return repeat(count, () => {
    const x = left + random() * wide
    const top = y + random() * 220
    const size = 60 + random() * 110
    return `<g opacity="${opacity}">${ellipse(x, top, size * 1.7, size * 0.22, colour)}${ellipse(x + size * 0.4, top - size * 0.16, size * 0.8, size * 0.26, colour)}${ellipse(x - size * 0.6, top + size * 0.12, size, size * 0.16, colour)}</g>`
  })
}

/** Draws a ridge of hills across the whole width, filled to the bottom. */
export function ridge(
  random: Random,
  y: number,
  height: number,
  colour: string,
  steps = 5,
  sharp = false,
): string {
  const step = wide / steps
  let d = `M${left} 1340 L${left} ${y}`
  for (let index = 1; index <= steps; index++) {
    const x = left + index * step
    const top = y - random() * height
    d += sharp
      ? ` L${(x - step * (0.4 + random() * 0.2)).toFixed(0)} ${(top - height * 0.4).toFixed(0)} L${x.toFixed(0)} ${(y - random() * height * 0.3).toFixed(0)}`
      : ` S${(x - step * 0.4).toFixed(0)} ${top.toFixed(0)} ${x.toFixed(0)} ${(y - random() * height * 0.6).toFixed(0)}`
  }
  return path(`${d} L${right} 1340Z`, colour)
}

export function pine(x: number, y: number, height: number, colour: string, snow?: string): string {
  return repeat(4, (tier) => {
    const top = y - height + tier * height * 0.2
    const half = height * (0.12 + tier * 0.065)
    const foot = top + height * 0.36
    const cap = snow
      ? path(
          `M${x} ${top} l${-half * 0.55} ${height * 0.2} q${half * 0.3} ${-height * 0.03} ${half * 0.55} 0 q${half * 0.3} ${height * 0.03} ${half * 0.5} -${height * 0.02}Z`,
          snow,
        )
      : ''
    return (
      path(
        `M${x} ${top} L${x - half} ${foot} Q${x} ${foot - height * 0.05} ${x + half} ${foot}Z`,
        mix(colour, '#000000', tier * 0.06),
      ) + cap
    )
  })
}

export function tree(x: number, random: Random, colour: string, girth: number): string {
  const lean = (random() - 0.5) * 60
  return (
    path(
      `M${x - girth} 1340 Q${x - girth * 0.4} 700 ${x + lean - girth * 0.5} -60 H${x + lean + girth * 0.5} Q${x + girth * 0.5} 700 ${x + girth * 1.2} 1340Z`,
      colour,
    ) +
    repeat(3, () => {
      const y = 120 + random() * 420
      const way = random() < 0.5 ? -1 : 1
      return line(
        `M${x + lean * 0.6} ${y} q${way * 60} -30 ${way * (100 + random() * 60)} -${90 + random() * 60}`,
        colour,
        girth * 0.4,
      )
    })
  )
}

export function sea(p: Palette, random: Random, y: number): string {
  return (
    linear('sea', [lighter(p.mid, 0.12), p.near, p.ink]) +
    rect(left, y, wide, 1340 - y, 'url(#sea)') +
    repeat(46, (index) => {
      const depth = Math.pow(random(), 1.6)
      const length = 20 + depth * 150
      return line(
        `M${left + random() * wide} ${y + 8 + depth * (1300 - y)} q${length / 2} ${-6 - depth * 10} ${length} 0`,
        index % 4 ? lighter(p.mid, 0.18) : p.light,
        2 + depth * 4,
        `opacity="${index % 4 ? 0.35 : 0.3}"`,
      )
    }) +
    ellipse(360, y + 90, 90, 130, p.light, 'opacity=".08"')
  )
}

export function kelp(x: number, random: Random, colour: string, height: number): string {
  let d = `M${x} 1340`
  for (let y = 1340, side = 1; y > 1340 - height; y -= 90, side = -side)
    d += ` q${side * (34 + random() * 22)} -45 0 -90`
  return (
    line(d, colour, 20) +
    repeat(Math.floor(height / 90), (index) =>
      ellipse(
        x + (index % 2 ? 30 : -30),
        1290 - index * 90,
        34,
        11,
        colour,
        `transform="rotate(${index % 2 ? -35 : 35} ${x} ${1290 - index * 90})"`,
      ),
    )
  )
}

export function dune(y: number, crest: number, light: string, dark: string, id: string): string {
  return (
    linear(id, [light, mix(light, dark, 0.4)], 1, 1) +
    path(
      `M${left} 1340 V${y + 60} C${crest - 260} ${y + 40} ${crest - 120} ${y - 20} ${crest} ${y - 70} C${crest + 120} ${y} ${crest + 260} ${y + 60} ${right} ${y + 30} V1340Z`,
      `url(#${id})`,
    ) +
    path(
      `M${crest} ${y - 70} C${crest + 120} ${y} ${crest + 260} ${y + 60} ${right} ${y + 30} V1340 H${crest - 40} C${crest + 90} ${y + 260} ${crest - 60} ${y + 90} ${crest} ${y - 70}Z`,
      dark,
      'opacity=".55"',
    )
  )
}

export function rocks(p: Palette, y: number): string {
  return (
    path(
      `M${left} 1340 V${y} L-30 ${y - 60} L60 ${y + 10} L130 ${y - 20} L210 ${y + 90} L330 ${y + 110} L430 ${y + 70} L520 ${y + 120} L640 ${y + 60} L${right} ${y + 100} V1340Z`,
      p.near,
    ) +
    path(
      `M-30 ${y - 60} L60 ${y + 10} L40 ${y + 120} L-60 ${y + 60}Z M130 ${y - 20} L210 ${y + 90} L150 ${y + 160}Z M430 ${y + 70} L520 ${y + 120} L450 ${y + 170}Z`,
      lighter(p.near, 0.1),
    ) +
    line(
      `M-30 ${y - 60} L60 ${y + 10} M130 ${y - 20} L210 ${y + 90} M430 ${y + 70} L520 ${y + 120}`,
      p.light,
      3,
      'opacity=".35"',
    )
  )
}

export function grass(random: Random, y: number, colour: string): string {
  return repeat(60, () => {
    const x = left + random() * wide
    const height = 40 + random() * 110
    return line(
      `M${x} 1340 Q${x} ${y + 40} ${x + (random() - 0.5) * 70} ${1330 - height}`,
      darker(colour, random() * 0.3),
      7,
    )
  })
}
