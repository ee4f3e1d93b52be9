import { backdrop, clouds, dune, grass, kelp, moon, pine, ridge, rocks, sea, stars, tree } from './nature.ts'
import { house, lamp, lighthouse, skyline } from './buildings.ts'
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
} from './svg.ts'
import { ground, leaves, type Builder } from './set-parts.ts'

export const outdoors = {
  city: (p, random) => ({
    back:
      backdrop(p) +
      stars(random, 70, '#ffffff', 420) +
      moon(540, 260, 74, p.light) +
      clouds(random, 5, 300, p.light, 0.14) +
      skyline(random, 900, 620, mix(p.far, p.sky[2], 0.25), p.light, 0.22),
    middle: skyline(random, 1010, 430, p.mid, p.light, 0.36) + ground(p, 1010, p.near),
    front:
      line(`M${left} 1150 H${left + wide} M${left} 1230 H${left + wide}`, p.ink, 16) +
      repeat(9, (index) => rect(left + index * 118, 1140, 16, 200, p.ink)) +
      rect(left, 1136, wide, 12, p.light, 'opacity=".35"'),
  }),
  street: (p, random) => ({
    back:
      backdrop(p) +
      skyline(random, 820, 560, mix(p.far, p.sky[2], 0.35), p.light, 0.16) +
      glow('haze', 360, 820, 460, p.light, 0.4),
    middle:
      path(`M${left} 1340 V160 L150 300 V960 L60 1340Z`, p.mid) +
      path(`M${left + wide} 1340 V100 L580 280 V960 L660 1340Z`, p.near) +
      repeat(
        8,
        (index) =>
          rect(
            -70 + (index % 2) * 110,
            360 + Math.floor(index / 2) * 140,
            62,
            86,
            index % 3 ? p.light : p.ink,
            'opacity=".8"',
          ) +
          rect(
            610 + (index % 2) * 106,
            320 + Math.floor(index / 2) * 150,
            60,
            92,
            index % 3 === 1 ? p.light : p.ink,
            'opacity=".75"',
          ),
      ) +
      ground(p, 960, p.near) +
      repeat(16, () =>
        ellipse(
          left + random() * wide,
          990 + random() * 320,
          40 + random() * 90,
          5 + random() * 6,
          p.light,
          'opacity=".2"',
        ),
      ) +
      path('M90 760 q60 -70 120 0Z', p.accent) +
      lamp(190, 1010, p) +
      lamp(530, 970, p, 330),
    front:
      path(`M${left} 1340 V1180 q120 -40 210 160Z`, p.ink) +
      line(`M${left} 90 Q300 190 ${left + wide} 60`, p.ink, 5) +
      repeat(9, (index) =>
        circle(-60 + index * 105, 108 + Math.sin(index / 2.6) * 38, 12, index % 2 ? p.light : p.accent),
      ),
  }),
  coast: (p, random) => ({
    back:
      backdrop(p) +
      stars(random, 50, '#ffffff', 380) +
      clouds(random, 9, 160, lighter(p.far, 0.15), 0.35) +
      ridge(random, 700, 60, mix(p.far, p.sky[2], 0.5)) +
      sea(p, random, 690),
    middle:
      path(`M260 1340 L330 900 L420 860 L520 800 L690 790 L${left + wide} 830 V1340Z`, p.mid) +
      path(
        `M420 860 L520 800 L500 1000 L440 1180Z M690 790 L660 980 L730 1200 L${left + wide} 1300 V830Z`,
        darker(p.mid, 0.3),
      ) +
      lighthouse(600, 806, p),
    front: rocks(p, 1110),
  }),
  sea: (p, random) => ({
    back:
      backdrop(p) + moon(250, 330, 80, p.light) + clouds(random, 7, 380, p.light, 0.2) + sea(p, random, 660),
    middle:
      ground(p, 1060, mix(p.near, '#7a5238', 0.35)) +
      repeat(9, (index) =>
        rect(left + index * 110, 1060, 104, 280, darker(mix(p.near, '#7a5238', 0.35), 0.1 * (index % 3))),
      ) +
      repeat(
        3,
        (index) =>
          rect(-40 + index * 340, 950, 36, 240, p.ink) + rect(-46 + index * 340, 940, 48, 16, p.near),
      ),
    front:
      line(`M${left} 1190 Q140 1270 360 1196 T${left + wide} 1190`, darker(p.light, 0.5), 18) +
      rect(80, 1130, 50, 210, p.ink) +
      rect(600, 1130, 50, 210, p.ink),
  }),
  reef: (p, random) => ({
    back:
      backdrop(p) +
      repeat(6, (index) =>
        path(
          `M${120 + index * 90} -60 L${-120 + index * 170} 1340 H${20 + index * 170} L${170 + index * 90} -60Z`,
          p.light,
          'opacity=".08"',
        ),
      ) +
      ridge(random, 900, 260, mix(p.far, p.sky[2], 0.4), 5, true) +
      repeat(7, (index) => {
        const x = 60 + random() * 600
        const y = 200 + random() * 420
        return path(
          `M${x} ${y} q26 -22 56 0 l20 -14 v28 l-20 -14 q-30 22 -56 0Z`,
          index % 2 ? p.light : p.accent,
          'opacity=".6"',
        )
      }),
    middle:
      ridge(random, 1080, 120, p.mid) +
      kelp(40, random, darker(p.mid, 0.25), 700) +
      kelp(690, random, darker(p.mid, 0.15), 820) +
      repeat(
        12,
        (index) =>
          circle(
            left + index * 84,
            1090 + (index % 3) * 30,
            46,
            index % 2 ? p.accent : mix(p.accent, p.mid, 0.5),
            'opacity=".8"',
          ) +
          circle(
            left + 14 + index * 84,
            1076 + (index % 3) * 30,
            16,
            lighter(p.accent, 0.35),
            'opacity=".5"',
          ),
      ),
    front: kelp(-60, random, p.ink, 900) + kelp(780, random, p.ink, 640) + ridge(random, 1290, 60, p.ink),
  }),
  dunes: (p, random) => ({
    back:
      backdrop(p) +
      glow('sun', 470, 420, 420, p.light, 0.9) +
      circle(470, 420, 104, lighter(p.light, 0.35)) +
      clouds(random, 4, 420, p.light, 0.3) +
      path('M40 790 L170 560 L300 790Z M260 790 L350 640 L450 790Z', mix(p.far, p.sky[2], 0.4)) +
      path('M170 560 L300 790 H210Z M350 640 L450 790 H380Z', p.far, 'opacity=".7"') +
      dune(800, 200, mix(p.far, p.light, 0.25), p.far, 'd1'),
    middle:
      dune(930, 560, mix(p.mid, p.light, 0.35), p.mid, 'd2') +
      dune(1040, 120, mix(p.mid, p.light, 0.2), p.near, 'd3'),
    front:
      path(`M${left} 1340 V1210 Q200 1150 420 1250 T${left + wide} 1220 V1340Z`, p.ink) +
      repeat(3, (index) =>
        path(`M${30 + index * 26} 1250 q-10 -90 ${index * 18 - 20} -150 q24 60 10 150Z`, p.ink),
      ),
  }),
  village: (p, random) => ({
    back:
      backdrop(p) +
      stars(random, 110, '#ffffff', 600) +
      path(
        `M${left} 300 Q200 150 420 260 T${left + wide} 180 V330 Q500 250 300 380 T${left} 420Z`,
        p.accent,
        'opacity=".16"',
      ) +
      ridge(random, 780, 260, mix(p.far, p.sky[2], 0.3), 4, true) +
      ridge(random, 860, 110, lighter(p.far, 0.1)) +
      repeat(12, (index) =>
        pine(left + index * 86 + random() * 40, 900, 130 + random() * 90, p.mid, lighter(p.sky[2], 0.3)),
      ),
    middle:
      house(-60, 1010, 240, 150, p, { snow: true }) +
      house(470, 1000, 270, 170, p, { snow: true }) +
      house(210, 960, 190, 120, p, { snow: true }) +
      path('M286 800 V640 L312 560 L338 640 V800Z', mix(p.mid, p.near, 0.6)) +
      circle(312, 690, 14, p.light) +
      linear('snow', [lighter(p.sky[2], 0.62), mix(p.sky[2], p.far, 0.4)]) +
      path(`M${left} 1340 V1000 Q200 960 400 1000 T${left + wide} 990 V1340Z`, 'url(#snow)'),
    front:
      pine(-40, 1360, 520, p.ink, mix(p.sky[2], p.ink, 0.4)) +
      pine(760, 1350, 430, p.ink, mix(p.sky[2], p.ink, 0.4)),
  }),
  forest: (p, random) => ({
    back:
      backdrop(p) +
      glow('mist', 360, 560, 520, p.light, 0.55) +
      repeat(9, (index) => tree(left + 40 + index * 108, random, mix(p.far, p.sky[1], 0.4), 18)),
    middle:
      repeat(5, (index) => tree(-60 + index * 210, random, p.mid, 34)) +
      path(`M${left} 1340 V1020 Q300 970 ${left + wide} 1030 V1340Z`, p.near) +
      repeat(5, (index) =>
        path(
          `M${180 + index * 90} -60 L${-60 + index * 120} 1100 H${30 + index * 120} L${240 + index * 90} -60Z`,
          p.light,
          'opacity=".06"',
        ),
      ),
    front: tree(-70, random, p.ink, 70) + tree(800, random, p.ink, 60) + grass(random, 1240, p.ink),
  }),
  station: (p, random) => ({
    back:
      backdrop(p) +
      stars(random, 40, '#ffffff', 300) +
      skyline(random, 800, 200, p.far, p.light, 0.25) +
      rect(left, 560, wide, 330, mix(p.mid, '#000000', 0.2)) +
      rect(left, 540, wide, 34, p.accent) +
      repeat(
        7,
        (index) =>
          rect(left + 30 + index * 134, 620, 96, 130, p.light, 'opacity=".92"') +
          rect(left + 30 + index * 134, 690, 96, 60, darker(p.light, 0.25), 'opacity=".6"') +
          circle(left + 78 + index * 134, 690, 17, p.ink, `opacity="${index % 2}"`),
      ) +
      rect(left, 800, wide, 12, p.light, 'opacity=".5"') +
      rect(left, 890, wide, 60, p.ink),
    middle:
      ground(p, 940, mix(p.near, p.mid, 0.5)) +
      rect(left, 940, wide, 14, p.light, 'opacity=".55"') +
      path(`M${left} 230 L${left + wide} 130 V190 L${left} 300Z`, p.near) +
      rect(60, 200, 26, 780, p.near) +
      rect(620, 160, 26, 800, p.near) +
      line('M86 400 Q200 250 330 232 M620 360 Q520 230 420 216', p.near, 16) +
      circle(360, 330, 70, p.ink) +
      circle(360, 330, 58, lighter(p.light, 0.5)) +
      line('M360 330 V290 M360 330 L388 346', p.ink, 7),
    front:
      glow('f', 690, 150, 240, p.light, 0.4) +
      path(`M-80 1340 V1150 h150 v-30 h60 v220Z`, p.ink) +
      rect(-60, 1130, 110, 26, darker(p.accent, 0.5)),
  }),
  garden: (p, random) => ({
    back:
      backdrop(p) +
      glow('sun', 360, 560, 480, p.light, 0.75) +
      clouds(random, 6, 200, '#ffffff', 0.28) +
      ridge(random, 800, 130, mix(p.far, p.sky[2], 0.4)) +
      ridge(random, 870, 80, p.far),
    middle:
      ground(p, 960, p.mid) +
      path('M300 960 H420 L560 1340 H160Z', lighter(p.sky[2], 0.4), 'opacity=".6"') +
      line('M130 1040 V460 Q360 180 590 460 V1040', mix(p.near, '#ffffff', 0.75), 20) +
      repeat(26, (index) => {
        const angle = Math.PI * (index / 25)
        return circle(
          360 - Math.cos(angle) * 232 + (random() - 0.5) * 34,
          470 - Math.sin(angle) * 146 + (random() - 0.5) * 40,
          20 + random() * 20,
          [p.accent, lighter(p.accent, 0.45), mix(p.mid, '#3f7a4a', 0.5)][index % 3] ?? p.accent,
        )
      }) +
      repeat(12, (index) =>
        circle(
          index % 2 ? 128 : 592,
          560 + index * 40,
          14 + random() * 16,
          index % 3 ? mix(p.mid, '#3f7a4a', 0.5) : p.accent,
        ),
      ),
    front:
      leaves(random, -90, darker(p.near, 0.3), 1) +
      leaves(random, 810, darker(p.near, 0.3), -1) +
      repeat(9, () => circle(left + random() * wide, 1190 + random() * 120, 15 + random() * 14, p.accent)),
  }),
} satisfies Record<string, Builder>
