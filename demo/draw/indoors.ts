import { backdrop, clouds, moon, pine, sea, stars } from './nature.ts'
import { chandelier, curtain, floor, shelves, skyline, window } from './buildings.ts'
import { circle, darker, ellipse, glow, left, lighter, line, mix, path, rect, repeat, wide } from './svg.ts'
import { wall, ground, nightView, leaves, type Builder } from './set-parts.ts'

export const indoors = {
  compartment: (p, random) => ({
    back:
      nightView(p, random, 800) +
      moon(220, 260, 50, p.light) +
      pine(80, 840, 220, p.ink) +
      pine(520, 850, 280, p.ink) +
      pine(650, 840, 190, p.ink),
    middle:
      `<path fill-rule="evenodd" fill="${p.mid}" d="M${left} -60 h${wide} V1340 h-${wide}Z M70 190 q0 -30 30 -30 h520 q30 0 30 30 v440 q0 30 -30 30 h-520 q-30 0 -30 -30Z"/>` +
      line(
        'M70 190 q0 -30 30 -30 h520 q30 0 30 30 v440 q0 30 -30 30 h-520 q-30 0 -30 -30Z',
        darker(p.light, 0.35),
        14,
      ) +
      curtain(40, 130, 90, 560, p.accent) +
      curtain(590, 130, 90, 560, p.accent) +
      rect(left, 60, wide, 26, darker(p.light, 0.4)) +
      repeat(9, (index) => line(`M${left + 20 + index * 110} 60 v-90`, darker(p.light, 0.4), 8)) +
      path(`M${left} 1340 V780 q20 -60 120 -50 q90 0 100 90 V1060 h60 V1340Z`, p.accent) +
      path(
        `M${left + wide} 1340 V780 q-20 -60 -120 -50 q-90 0 -100 90 V1060 h-60 V1340Z`,
        darker(p.accent, 0.2),
      ) +
      rect(260, 850, 200, 20, darker(p.light, 0.35)) +
      rect(346, 870, 28, 200, p.near) +
      ground(p, 1070, p.near) +
      path('M330 850 l12 -70 h36 l12 70Z', p.ink) +
      path('M316 790 q44 -70 88 0Z', p.light) +
      glow('tl', 360, 780, 240, p.light, 0.55),
    front:
      path(`M${left} 1340 V1230 h240 q40 0 40 110Z`, p.ink) +
      rect(560, 1190, 190, 150, p.ink) +
      rect(610, 1170, 90, 22, p.ink),
  }),
  hall: (p, random) => ({
    back:
      wall(p) +
      repeat(3, (index) => window(10 + index * 250, 240, 190, 560, p, nightView(p, random, 760), true)) +
      repeat(
        4,
        (index) =>
          rect(-90 + index * 250, 150, 56, 830, mix(p.far, p.light, 0.12)) +
          rect(-100 + index * 250, 140, 76, 34, mix(p.far, p.light, 0.3)),
      ) +
      rect(left, 100, wide, 40, mix(p.far, p.light, 0.22)),
    middle:
      floor(p, 980, mix(p.mid, p.accent, 0.25)) +
      path('M160 1340 L280 980 H440 L560 1340Z', p.accent, 'opacity=".5"') +
      curtain(left, -60, 130, 1080, p.accent) +
      curtain(700, -60, 130, 1080, p.accent) +
      chandelier(360, 120, p),
    front:
      ellipse(20, 1350, 190, 130, p.ink) +
      rect(0, 1130, 9, 130, p.light) +
      rect(40, 1150, 9, 110, p.light) +
      circle(4, 1118, 12, '#fff3cf') +
      circle(44, 1138, 12, '#fff3cf') +
      leaves(random, 780, p.ink, -1),
  }),
  office: (p, random) => ({
    back:
      nightView(p, random, 980) +
      moon(160, 230, 60, p.light) +
      skyline(random, 1050, 300, p.near, p.light, 0.5),
    middle:
      rect(left, -60, wide, 130, p.mid) +
      repeat(4, (index) => rect(-60 + index * 270, -60, 18, 1040, p.mid)) +
      rect(left, 520, wide, 12, p.mid) +
      floor(p, 960, p.near) +
      path('M70 900 H650 L690 940 H30Z', mix(p.mid, p.light, 0.3)) +
      rect(60, 940, 600, 160, darker(p.mid, 0.25)) +
      rect(60, 940, 600, 8, p.light, 'opacity=".5"') +
      rect(470, 800, 130, 90, p.ink) +
      rect(478, 808, 114, 74, mix(p.accent, p.light, 0.3), 'opacity=".7"') +
      rect(528, 890, 14, 14, p.ink) +
      path('M130 900 v-60 h14 v60Z M104 846 q34 -52 68 0Z', p.accent) +
      glow('desk', 138, 870, 170, p.light, 0.5),
    front: leaves(random, -80, p.ink, 1) + path('M520 1340 q0 -170 90 -170 q100 0 110 170Z', p.ink),
  }),
  study: (p, random) => ({
    back:
      wall(p) +
      shelves(random, -100, 120, 330, 6, p) +
      shelves(random, 490, 120, 330, 6, p) +
      window(270, 200, 180, 470, p, nightView(p, random, 640), true),
    middle:
      floor(p, 960, mix(p.mid, '#5a3420', 0.4)) +
      ellipse(360, 1120, 330, 80, p.accent, 'opacity=".45"') +
      path('M170 880 H560 V912 H170Z', mix('#6b3f26', p.mid, 0.3)) +
      rect(190, 912, 26, 160, mix('#4b2b1a', p.mid, 0.3)) +
      rect(514, 912, 26, 160, mix('#4b2b1a', p.mid, 0.3)) +
      rect(230, 846, 90, 34, '#f3e9d6') +
      path('M470 880 v-90 h10 v90Z M436 792 q40 -70 80 0Z', p.light) +
      glow('sl', 476, 800, 260, p.light, 0.7),
    front:
      path(`M${left} 1340 V1060 q0 -70 80 -70 q90 0 96 120 V1340Z`, p.ink) +
      path('M640 1340 q20 -140 120 -140 h80 V1340Z', p.ink),
  }),
  ward: (p, random) => ({
    back:
      wall(p) +
      window(300, 180, 320, 430, p, nightView(p, random, 600)) +
      rect(left, 700, wide, 16, p.light, 'opacity=".35"') +
      rect(60, 300, 150, 110, p.ink) +
      line('M70 360 h30 l12 -34 l16 66 l14 -46 l10 14 h48', p.light, 5) +
      rect(128, 410, 14, 380, p.far),
    middle:
      floor(p, 960, mix(p.mid, p.far, 0.4)) +
      path('M-60 940 V740 q0 -30 30 -30 h20 v200 h560 v-100 h40 v260 h-26 v-90 H-20 v90 h-40Z', p.near) +
      path('M-10 850 Q200 800 550 860 V930 H-10Z', lighter(p.far, 0.55)) +
      ellipse(60, 830, 84, 40, '#f4f6f8') +
      line('M660 980 V330 h-50', p.far, 9) +
      path('M586 340 h46 v70 q-23 26 -46 0Z', p.accent, 'opacity=".75"'),
    front: curtain(left, -60, 150, 1400, darker(p.mid, 0.3)) + path('M560 1340 v-110 h220 v110Z', p.ink),
  }),
  corridor: (p) => ({
    back:
      wall(p) +
      path(`M${left} -60 L250 380 V900 L${left} 1340Z`, p.mid) +
      path(`M${left + wide} -60 L470 380 V900 L${left + wide} 1340Z`, p.near) +
      path(`M${left} 1340 L250 900 H470 L${left + wide} 1340Z`, darker(p.near, 0.25)) +
      path(`M${left} -60 L250 380 H470 L${left + wide} -60Z`, p.far) +
      repeat(4, (index) => {
        const y = -20 + index * 110
        const half = 190 - index * 46
        return path(
          `M${360 - half} ${y} H${360 + half} L${360 + half * 0.8} ${y + 40} H${360 - half * 0.8}Z`,
          lighter(p.light, 0.3),
          'opacity=".9"',
        )
      }) +
      glow('end', 360, 640, 300, p.light, 0.85) +
      rect(300, 520, 120, 380, p.ink) +
      rect(310, 530, 100, 370, mix(p.light, p.accent, 0.2)),
    middle:
      repeat(
        2,
        (index) =>
          path(
            `M${-70 + index * 170} ${200 + index * 130} L${40 + index * 130} ${300 + index * 80} V${1150 - index * 130} L${-70 + index * 170} ${1280 - index * 160}Z`,
            darker(p.mid, 0.35),
          ) +
          path(
            `M${790 - index * 170} ${200 + index * 130} L${680 - index * 130} ${300 + index * 80} V${1150 - index * 130} L${790 - index * 170} ${1280 - index * 160}Z`,
            darker(p.near, 0.3),
          ),
      ) + path('M300 900 H420 L600 1340 H120Z', p.light, 'opacity=".16"'),
    front: rect(left, -60, 90, 1400, p.ink) + rect(740, -60, 90, 1400, p.ink),
  }),
  arena: (p, random) => ({
    back:
      wall(p) +
      repeat(3, (row) =>
        repeat(12, (index) => {
          const x = left + index * 84 + (row % 2) * 42
          const y = 560 + row * 110
          return (
            ellipse(x, y, 28, 34, mix(p.far, p.ink, row * 0.25)) +
            path(
              `M${x - 54} ${y + 130} q0 -90 54 -92 q54 2 54 92Z`,
              mix(p.far, p.ink, row * 0.25 + random() * 0.1),
            )
          )
        }),
      ) +
      path('M300 -60 L-60 1340 H780 L420 -60Z', p.light, 'opacity=".13"') +
      path('M330 -60 L120 1340 H600 L390 -60Z', p.light, 'opacity=".14"'),
    middle:
      floor(p, 940, p.near) +
      ellipse(360, 1080, 350, 90, p.light, 'opacity=".22"') +
      path('M190 870 H530 L580 910 H140Z', mix(p.mid, p.light, 0.35)) +
      repeat(8, (index) => path(`M${196 + index * 41} 872 h41 l2 16 h-43Z`, index % 2 ? p.ink : '#f5efe2')) +
      rect(140, 910, 440, 22, p.mid) +
      rect(330, 930, 60, 150, p.mid) +
      repeat(6, (index) =>
        path(
          `M${226 + index * 50} 872 l6 -44 q-8 -18 6 -26 q14 8 6 26 l6 44Z`,
          index % 2 ? p.accent : '#f5efe2',
        ),
      ),
    front: repeat(
      5,
      (index) =>
        ellipse(-40 + index * 200, 1290, 56, 66, p.ink) +
        path(`M${-150 + index * 200} 1400 q10 -90 110 -90 q100 0 110 90Z`, p.ink),
    ),
  }),
  vault: (p) => ({
    back:
      wall(p) +
      repeat(5, (row) =>
        repeat(
          7,
          (index) =>
            rect(
              left + 20 + index * 134,
              90 + row * 170,
              120,
              156,
              mix(p.far, p.light, 0.08 * ((index + row) % 3)),
              `stroke="${p.ink}" stroke-width="4"`,
            ) + circle(left + 80 + index * 134, 168 + row * 170, 10, p.light),
        ),
      ),
    middle:
      floor(p, 980, p.near) +
      circle(360, 600, 330, p.mid) +
      circle(360, 600, 330, 'none', `stroke="${darker(p.light, 0.3)}" stroke-width="26"`) +
      repeat(12, (index) =>
        circle(
          360 + 290 * Math.cos((index * Math.PI) / 6),
          600 + 290 * Math.sin((index * Math.PI) / 6),
          18,
          p.light,
        ),
      ) +
      circle(360, 600, 220, p.near) +
      circle(360, 600, 180, 'none', `stroke="${p.light}" stroke-width="12"`) +
      line('M360 470 V730 M230 600 H490 M268 508 L452 692 M452 508 L268 692', p.light, 18) +
      circle(360, 600, 52, p.accent) +
      glow('vg', 360, 600, 330, p.light, 0.3),
    front:
      path(`M${left} 1340 V1200 h130 v-40 h90 v180Z`, p.ink) +
      repeat(4, (index) =>
        rect(
          600 + index * 20,
          1240 - index * 40,
          150,
          36,
          index % 2 ? darker(p.light, 0.4) : darker(p.light, 0.55),
        ),
      ),
  }),
  lantern: (p, random) => ({
    back:
      backdrop(p) +
      stars(random, 60, '#ffffff', 500) +
      clouds(random, 8, 200, p.far, 0.6) +
      sea(p, random, 820),
    middle:
      repeat(4, (index) => rect(-60 + index * 270, -60, 20, 1100, p.near)) +
      rect(left, 300, wide, 16, p.near) +
      floor(p, 1000, p.near) +
      glow('lens', 360, 560, 520, p.light, 0.95) +
      path('M230 860 Q160 560 300 300 H420 Q560 560 490 860Z', lighter(p.light, 0.3), 'opacity=".75"') +
      repeat(8, (index) =>
        line(
          `M${250 - Math.sin((index * Math.PI) / 7) * 40} ${350 + index * 66} H${470 + Math.sin((index * Math.PI) / 7) * 40}`,
          darker(p.light, 0.3),
          7,
        ),
      ) +
      circle(360, 580, 70, '#fffbe8') +
      rect(240, 860, 240, 160, p.mid) +
      rect(230, 850, 260, 20, darker(p.light, 0.4)),
    front:
      path(`M${left} 1340 V1220 H${left + wide} V1340Z`, p.ink) +
      repeat(10, (index) => rect(left + index * 100, 1120, 12, 140, p.ink)) +
      rect(left, 1110, wide, 16, p.ink),
  }),
  cafe: (p, random) => ({
    back:
      wall(p) +
      window(-20, 200, 400, 480, p, nightView(p, random, 660)) +
      shelves(random, 470, 160, 320, 3, p) +
      rect(470, 620, 320, 180, p.ink) +
      repeat(4, (index) => circle(500 + index * 66, 700, 20, p.light, 'opacity=".8"')),
    middle:
      repeat(
        3,
        (index) =>
          line(`M${120 + index * 240} -60 V150`, p.ink, 5) +
          path(`M${70 + index * 240} 210 q50 -110 100 0Z`, p.accent) +
          glow(`p${index}`, 120 + index * 240, 210, 170, p.light, 0.6),
      ) +
      floor(p, 980, mix(p.mid, '#6a4028', 0.35)) +
      rect(left, 820, wide, 26, mix(p.light, '#7a4a2a', 0.6)) +
      rect(left, 846, wide, 150, mix(p.near, p.accent, 0.15)) +
      repeat(
        4,
        (index) =>
          path(`M${110 + index * 150} 820 v-34 h44 v34Z`, '#f6eee0') +
          line(`M${154 + index * 150} 794 q18 6 0 18`, '#f6eee0', 5),
      ),
    front:
      ellipse(90, 1330, 240, 90, p.ink) +
      path('M60 1250 v-60 h70 v60Z', '#f6eee0') +
      line('M84 1176 q-14 -24 4 -44 M108 1176 q-14 -24 4 -44', '#ffffff', 5, 'opacity=".5"'),
  }),
  kitchen: (p) => ({
    back:
      wall(p) +
      repeat(9, (row) =>
        repeat(10, (index) =>
          rect(
            left + index * 96,
            60 + row * 96,
            92,
            92,
            mix(p.far, p.light, 0.05 * ((index + row) % 2)),
            'opacity=".6"',
          ),
        ),
      ) +
      rect(left, 330, wide, 18, p.near) +
      repeat(
        6,
        (index) =>
          line(`M${20 + index * 130} 348 v40`, p.ink, 5) +
          path(
            `M${-22 + index * 130} 388 h84 l-8 ${54 + (index % 2) * 40} h-68Z`,
            mix(p.light, p.accent, 0.5),
          ) +
          rect(-22 + index * 130, 388, 84, 10, lighter(p.light, 0.3)),
      ),
    middle:
      path('M200 -60 H520 L600 240 H120Z', mix(p.near, p.light, 0.15)) +
      floor(p, 1000, p.near) +
      rect(left, 800, wide, 22, lighter(p.far, 0.4)) +
      rect(left, 822, wide, 190, p.mid) +
      repeat(
        4,
        (index) =>
          rect(left + 40 + index * 230, 850, 190, 140, darker(p.mid, 0.3)) +
          rect(left + 100 + index * 230, 868, 70, 8, p.light),
      ) +
      repeat(
        3,
        (index) =>
          path(
            `M${90 + index * 230} 800 q0 -70 26 -70 h60 q26 0 26 70Z`,
            darker(p.light, 0.45 - index * 0.1),
          ) +
          path(
            `M${112 + index * 230} 730 q-20 -60 10 -96 q0 40 22 40 q6 -40 30 -60 q-4 60 20 116Z`,
            p.accent,
            'opacity=".75"',
          ),
      ) +
      glow('fire', 360, 720, 360, p.light, 0.5),
    front:
      rect(left, 1230, wide, 120, p.ink) +
      path('M520 1230 q60 -70 150 0Z', p.accent) +
      path('M60 1230 l140 -60 l10 18 l-120 42Z', lighter(p.far, 0.5)),
  }),
} satisfies Record<string, Builder>
