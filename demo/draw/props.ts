import {
  circle,
  darker,
  ellipse,
  glow,
  group,
  lighter,
  line,
  linear,
  mix,
  path,
  rect,
  repeat,
  type Palette,
} from './svg.ts'

/** A function that draws a close-up of an object, about 460 px across, around the point (360, 560). */
type Builder = (p: Palette) => string

const paper = '#f3ead8'
const inkLines = (count: number, x: number, y: number, width: number, colour: string): string =>
  repeat(count, (index) =>
    line(`M${x} ${y + index * 36} h${width * (index % 3 === 2 ? 0.6 : 1)}`, colour, 6, 'opacity=".55"'),
  )

function tilted(angle: number, content: string): string {
  return group(content, `rotate(${angle} 360 560)`)
}

function hand(x: number, y: number, skin: string, sleeve: string): string {
  return (
    path(
      `M${x + 30} ${y + 110} C${x - 30} ${y + 60} ${x - 40} ${y - 10} ${x + 4} ${y - 20} C${x + 50} ${y - 40} ${x + 110} ${y - 10} ${x + 130} ${y + 50} L${x + 240} ${y + 250} L${x + 120} ${y + 320}Z`,
      skin,
    ) +
    repeat(3, (index) =>
      line(`M${x + 2 + index * 6} ${y + 6 + index * 30} q-30 -10 -56 ${4 - index * 4}`, skin, 28),
    ) +
    path(
      `M${x + 130} ${y + 190} L${x + 226} ${y + 140} L${x + 520} ${y + 520} L${x + 330} ${y + 640}Z`,
      sleeve,
    )
  )
}

/** Draws an alarm clock; the hands' angles are in degrees from twelve. */
function clock(p: Palette, hour: number, minute: number): string {
  const marks = repeat(12, (index) =>
    group(line('M360 366 v30', p.ink, index % 3 ? 7 : 14), `rotate(${index * 30} 360 560)`),
  )
  const bells = path('M250 340 q-60 -70 -110 10Z M470 340 q60 -70 110 10Z', p.accent)
  const hand = (angle: number, length: number, width: number): string =>
    group(line(`M360 560 v${-length}`, p.ink, width), `rotate(${angle} 360 560)`)
  return (
    circle(360, 560, 240, darker(p.light, 0.4)) +
    circle(360, 560, 214, '#f6efdf') +
    marks +
    hand(hour, 98, 18) +
    hand(minute, 146, 12) +
    line('M344 610 L430 380', p.accent, 5) +
    circle(360, 560, 18, p.accent) +
    bells
  )
}

const props = {
  letter: (p) =>
    tilted(
      -6,
      path('M150 330 H570 V830 H150Z', paper) +
        path('M570 330 v500 h-420 l420 -500Z', '#000000', 'opacity=".05"') +
        inkLines(8, 200, 420, 310, p.ink) +
        line('M220 740 q40 -50 70 -6 t80 -8 t60 4', p.accent, 7) +
        circle(480, 750, 42, p.accent) +
        circle(480, 750, 28, darker(p.accent, 0.25)),
    ),
  contract: (p) =>
    tilted(
      4,
      path('M160 280 H560 V860 H160Z', paper) +
        rect(210, 330, 300, 22, p.ink, 'opacity=".8"') +
        inkLines(9, 210, 400, 290, p.ink) +
        line('M220 780 q30 -60 60 -8 t70 -10 t90 4', p.near, 8) +
        line('M210 800 H500', p.ink, 3),
    ) +
    tilted(30, path('M500 430 l34 0 l10 330 l-27 70 l-27 -70Z', p.accent) + rect(496, 500, 44, 14, p.light)),
  phone: (p) =>
    tilted(
      7,
      rect(220, 270, 280, 560, '#0b0b12', 'rx="44"') +
        linear('screen', [p.accent, mix(p.far, p.light, 0.3)]) +
        rect(236, 292, 248, 516, 'url(#screen)', 'rx="30"') +
        rect(258, 480, 190, 62, '#ffffff', 'rx="24" opacity=".9"') +
        rect(300, 562, 162, 62, p.light, 'rx="24" opacity=".95"') +
        rect(258, 644, 120, 50, '#ffffff', 'rx="24" opacity=".75"') +
        circle(360, 390, 46, '#ffffff', 'opacity=".85"') +
        path('M320 430 q40 -50 80 0Z', p.near),
    ) + hand(480, 680, '#d9a27c', p.mid),
  ring: (p) =>
    path('M180 620 Q360 560 540 620 L560 800 Q360 860 160 800Z', p.accent) +
    path('M180 620 Q360 680 540 620 Q360 560 180 620Z', darker(p.accent, 0.45)) +
    circle(360, 560, 92, 'none', `stroke="${p.light}" stroke-width="22"`) +
    path('M300 440 L330 396 H390 L420 440 L360 510Z', '#eaf8ff') +
    path('M300 440 H420 L360 510Z', mix('#bfe6ff', p.light, 0.2)) +
    line('M330 396 L345 440 L360 510 L375 440 L390 396 M345 440 H375', '#8fc4e8', 3) +
    line('M360 330 v-50 M270 380 l-36 -34 M450 380 l36 -34', p.light, 8),
  nine: (p) => clock(p, 270, 0),
  seven: (p) => clock(p, 211, 12),
  twelve: (p) => clock(p, 359.5, 354),
  chess: (p) =>
    repeat(5, (row) =>
      repeat(7, (index) =>
        path(
          `M${40 + index * 92 - row * 22} ${700 + row * 62} h${92 + 6} l-6 62 h-98Z`,
          (index + row) % 2 ? p.ink : mix(paper, p.light, 0.3),
        ),
      ),
    ) +
    path('M300 740 q60 34 120 0 l-22 -60 q-22 -110 -10 -190 h-56 q12 80 -10 190Z', p.accent) +
    path('M300 500 L276 380 L326 430 L360 350 L394 430 L444 380 L420 500Z', p.accent) +
    circle(360, 336, 18, p.light) +
    path('M372 740 q30 6 48 0 l-22 -60 q-22 -110 -10 -190 h-20Z', darker(p.accent, 0.4)) +
    path('M520 800 q34 20 76 0 l-14 -40 q-14 -60 0 -90 h-50 q14 30 0 90Z', '#f5efe2') +
    circle(557, 650, 36, '#f5efe2'),
  key: (p) =>
    tilted(
      -38,
      circle(360, 400, 96, 'none', `stroke="${p.light}" stroke-width="36"`) +
        rect(344, 490, 32, 340, p.light) +
        path('M376 740 h70 v36 h-70Z M376 796 h100 v36 h-100Z', p.light) +
        rect(344, 490, 10, 340, lighter(p.light, 0.5)) +
        circle(360, 400, 60, 'none', `stroke="${darker(p.light, 0.4)}" stroke-width="6"`),
    ),
  diamond: (p) =>
    glow('dg', 360, 560, 380, p.light, 0.7) +
    path('M180 480 L270 370 H450 L540 480 L360 780Z', '#dff6ff') +
    path('M180 480 H540 L360 780Z', mix('#8fd6f0', p.accent, 0.15)) +
    path('M270 370 L300 480 L360 780 L180 480Z', '#ffffff', 'opacity=".5"') +
    path('M450 370 L420 480 L360 780 L540 480Z', p.mid, 'opacity=".3"') +
    line(
      'M180 480 H540 M270 370 L300 480 L360 370 L420 480 L450 370 M300 480 L360 780 L420 480',
      '#ffffff',
      4,
    ) +
    line('M130 340 v60 M100 370 h60 M590 620 v50 M565 645 h50', '#ffffff', 7),
  typewriter: (p) =>
    path('M190 300 H530 V580 H190Z', paper) +
    inkLines(6, 230, 350, 260, p.ink) +
    rect(110, 540, 500, 54, p.ink, 'rx="26"') +
    path('M150 594 H570 L640 860 H80Z', p.accent) +
    path('M180 620 H540 L556 680 H164Z', darker(p.accent, 0.5)) +
    repeat(3, (row) =>
      repeat(8, (index) =>
        circle(
          176 + index * 52 - row * 6 + (row % 2) * 10,
          720 + row * 48,
          20,
          paper,
          `stroke="${p.ink}" stroke-width="5"`,
        ),
      ),
    ) +
    circle(110, 566, 30, p.light) +
    circle(610, 566, 30, p.light),
  pearl: (p) =>
    path('M120 640 Q360 480 600 640 Q560 860 360 870 Q160 860 120 640Z', lighter(p.accent, 0.2)) +
    repeat(7, (index) =>
      line(
        `M360 866 Q${200 + index * 54} 740 ${150 + index * 70} ${626 - Math.abs(index - 3) * -6}`,
        darker(p.accent, 0.2),
        5,
      ),
    ) +
    path('M120 640 Q360 330 600 640 Q360 560 120 640Z', darker(p.accent, 0.3)) +
    glow('pg', 360, 600, 240, p.light, 0.9) +
    circle(360, 610, 70, '#fdf6ee') +
    circle(338, 588, 22, '#ffffff'),
  chip: (p) =>
    rect(220, 420, 280, 280, p.near, 'rx="24"') +
    rect(250, 450, 220, 220, p.mid, 'rx="14"') +
    repeat(6, (index) =>
      line(
        `M${246 + index * 46} 420 v-60 M${246 + index * 46} 700 v60 M220 ${446 + index * 46} h-60 M500 ${446 + index * 46} h60`,
        p.light,
        9,
      ),
    ) +
    path(
      'M360 630 C250 560 280 480 330 490 Q356 496 360 524 Q364 496 390 490 C440 480 470 560 360 630Z',
      p.accent,
    ) +
    glow('cg', 360, 560, 260, p.accent, 0.6),
  dish: (p) =>
    ellipse(360, 700, 290, 84, '#f4efe6') +
    ellipse(360, 690, 210, 54, '#dcd4c6') +
    path('M200 680 Q360 400 520 680Z', lighter(p.far, 0.55)) +
    path('M360 545 Q470 560 520 680 H420Z', '#000000', 'opacity=".16"') +
    circle(360, 534, 26, p.light) +
    line(
      'M270 480 q-24 -50 6 -96 t4 -90 M360 460 q-24 -50 6 -96 t4 -90 M450 480 q-24 -50 6 -96 t4 -90',
      '#ffffff',
      9,
      'opacity=".4"',
    ),
  photo: (p) =>
    tilted(
      -8,
      rect(170, 300, 380, 470, '#f6f1e6') +
        linear('snap', [p.sky[1], p.light]) +
        rect(200, 330, 320, 330, 'url(#snap)') +
        path('M200 660 q20 -150 90 -150 q70 0 90 150Z M330 660 q20 -180 100 -180 q80 0 90 180Z', p.near) +
        circle(290, 466, 46, p.ink) +
        circle(430, 430, 50, p.ink),
    ) + line('M220 720 h190', p.accent, 8),
  book: (p) =>
    path('M360 420 Q250 360 110 400 V800 Q250 760 360 820Z', paper) +
    path('M360 420 Q470 360 610 400 V800 Q470 760 360 820Z', darker(paper, 0.08)) +
    repeat(8, (index) =>
      line(
        `M150 ${450 + index * 40} q90 -24 170 8 M400 ${458 + index * 40} q80 -32 170 -8`,
        p.ink,
        5,
        'opacity=".45"',
      ),
    ) +
    path('M480 380 v190 l26 -26 l26 26 V390Z', p.accent) +
    line('M110 812 Q250 772 360 832 Q470 772 610 812', p.accent, 12),
  candle: (p) =>
    glow('fg', 360, 440, 430, p.light, 0.95) +
    rect(290, 560, 140, 320, '#f6ecd6') +
    path('M290 560 q20 60 46 0 q30 90 54 0 q20 40 40 0Z', '#fffaf0') +
    path('M360 560 C280 500 330 430 362 330 C400 420 440 500 360 560Z', p.light) +
    path('M360 556 C320 520 346 480 362 430 C384 480 400 520 360 556Z', '#fffbe6') +
    ellipse(360, 880, 190, 40, darker(p.light, 0.45)),
} satisfies Record<string, Builder>

export type PropName = keyof typeof props

export function prop(name: PropName, palette: Palette): string {
  return ellipse(360, 880, 260, 34, palette.ink, 'opacity=".45"') + props[name](palette)
}
