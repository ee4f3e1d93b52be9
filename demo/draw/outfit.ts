import type { Look } from './look.ts'
import { circle, darker, lighter, line, mix, path, repeat, type Palette } from './svg.ts'

const cx = 360

function shoulders(width: number, colour: string, top = 760): string {
  return path(
    `M${cx - 70} ${top - 34} C${cx - 130} ${top + 12} ${cx - width + 60} ${top + 10} ${cx - width} ${top + 110} C${cx - width - 34} ${top + 240} ${cx - width - 40} 1250 ${cx - width - 50} 1420 ` +
      `L${cx + width + 50} 1420 C${cx + width + 40} 1250 ${cx + width + 34} ${top + 240} ${cx + width} ${top + 110} C${cx + width - 60} ${top + 10} ${cx + 130} ${top + 12} ${cx + 70} ${top - 34} Q${cx} ${top + 66} ${cx - 70} ${top - 34}Z`,
    colour,
  )
}

function rimLight(width: number, colour: string): string {
  return line(
    `M${cx + width - 52} 812 C${cx + width - 18} 842 ${cx + width - 2} 890 ${cx + width + 6} 960 L${cx + width + 26} 1300`,
    colour,
    8,
    'opacity=".5"',
  )
}

/** Draws clothes below the collar. */
export function bust(look: Look, palette: Palette): string {
  const width = look.man ? 268 : 222
  const cloth = mix(look.cloth, palette.ink, 0.12)
  const dark = darker(cloth, 0.3)
  const base = shoulders(width, cloth) + rimLight(width, palette.light)
  switch (look.outfit) {
    case 'suit':
      return (
        base +
        path(`M${cx - 78} 730 L${cx} 1010 L${cx + 78} 730 Q${cx} 800 ${cx - 78} 730Z`, '#ece7e1') +
        path(`M${cx - 20} 806 h40 l-8 34 l16 170 l-28 50 l-28 -50 l16 -170Z`, look.trim) +
        path(
          `M${cx - 84} 722 L${cx - 150} 850 L${cx - 104} 866 L${cx - 116} 902 L${cx - 4} 1080 L${cx - 60} 800Z`,
          dark,
        ) +
        path(
          `M${cx + 84} 722 L${cx + 150} 850 L${cx + 104} 866 L${cx + 116} 902 L${cx + 4} 1080 L${cx + 60} 800Z`,
          dark,
        )
      )
    case 'gown':
      return (
        path(
          `M${cx - 74} 730 C${cx - 140} 780 ${cx - 200} 780 ${cx - 222} 880 L${cx - 236} 1420 H${cx + 236} L${cx + 222} 880 C${cx + 200} 780 ${cx + 140} 780 ${cx + 74} 730 Q${cx} 800 ${cx - 74} 730Z`,
          mix(look.skin, palette.ink, 0.08),
        ) +
        path(
          `M${cx - 172} 920 Q${cx - 80} 890 ${cx} 960 Q${cx + 80} 890 ${cx + 172} 920 L${cx + 186} 1420 H${cx - 186}Z`,
          cloth,
        ) +
        line(`M${cx - 160} 926 L${cx - 124} 770 M${cx + 160} 926 L${cx + 124} 770`, cloth, 12) +
        line(`M${cx - 74} 752 Q${cx} 850 ${cx + 74} 752`, look.trim, 5) +
        circle(cx, 806, 12, look.trim) +
        rimLight(196, palette.light)
      )
    case 'coat':
      return (
        base +
        path(`M${cx - 76} 730 L${cx} 940 L${cx + 76} 730 Q${cx} 800 ${cx - 76} 730Z`, look.trim) +
        path(
          `M${cx - 92} 690 C${cx - 176} 720 ${cx - 190} 820 ${cx - 150} 900 L${cx - 6} 1060 L${cx - 66} 790Z`,
          lighter(cloth, 0.08),
        ) +
        path(
          `M${cx + 92} 690 C${cx + 176} 720 ${cx + 190} 820 ${cx + 150} 900 L${cx + 6} 1060 L${cx + 66} 790Z`,
          dark,
        ) +
        repeat(3, (index) => circle(cx + 40, 1090 + index * 90, 13, look.trim))
      )
    case 'uniform':
      return (
        base +
        path(`M${cx - 74} 716 Q${cx} 790 ${cx + 74} 716 L${cx + 80} 770 Q${cx} 850 ${cx - 80} 770Z`, dark) +
        line(`M${cx} 820 V1420`, dark, 6) +
        repeat(
          4,
          (index) =>
            circle(cx - 44, 880 + index * 110, 12, look.trim) +
            circle(cx + 44, 880 + index * 110, 12, look.trim),
        ) +
        line(`M${cx - width + 20} 840 h90 M${cx + width - 20} 840 h-90`, look.trim, 18)
      )
    case 'robe':
      return (
        base +
        path(`M${cx - 84} 716 L${cx - 20} 1420 H${cx + 90} L${cx + 84} 716 L${cx} 960Z`, look.trim) +
        path(`M${cx - 84} 716 L${cx} 960 L${cx + 84} 716 Q${cx} 800 ${cx - 84} 716Z`, dark)
      )
    case 'sweater':
      return (
        base +
        path(
          `M${cx - 92} 690 Q${cx} 640 ${cx + 92} 690 L${cx + 88} 770 Q${cx} 850 ${cx - 88} 770Z`,
          lighter(cloth, 0.1),
        ) +
        repeat(3, (index) =>
          line(
            `M${cx - width + 10} ${930 + index * 56} Q${cx} ${990 + index * 56} ${cx + width - 10} ${930 + index * 56}`,
            look.trim,
            10,
            'stroke-dasharray="2 26"',
          ),
        )
      )
    case 'chef':
      return (
        base +
        path(
          `M${cx - 84} 706 Q${cx} 780 ${cx + 84} 706 L${cx + 60} 800 L${cx} 830 L${cx - 60} 800Z`,
          look.trim,
        ) +
        line(`M${cx + 30} 840 L${cx + 50} 1420`, dark, 5) +
        repeat(
          4,
          (index) =>
            circle(cx - 60, 900 + index * 100, 12, dark) + circle(cx + 96, 900 + index * 100, 12, dark),
        )
      )
    case 'shell':
      return (
        base +
        path(
          `M${cx - 150} 850 Q${cx} 780 ${cx + 150} 850 L${cx + 120} 1080 Q${cx} 1140 ${cx - 120} 1080Z`,
          lighter(cloth, 0.35),
        ) +
        circle(cx, 960, 40, look.trim) +
        path(`M${cx - 8} 934 h16 v18 h18 v16 h-18 v18 h-16 v-18 h-18 v-16 h18Z`, '#ffffff')
      )
    default:
      return (
        base +
        path(
          `M${cx - 76} 722 L${cx} 900 L${cx + 76} 722 Q${cx} 800 ${cx - 76} 722Z`,
          mix(look.skin, palette.ink, 0.08),
        ) +
        path(`M${cx - 82} 712 L${cx - 110} 800 L${cx - 40} 850 L${cx} 900 L${cx - 60} 790Z`, look.trim) +
        path(`M${cx + 82} 712 L${cx + 110} 800 L${cx + 40} 850 L${cx} 900 L${cx + 60} 790Z`, look.trim) +
        line(`M${cx} 900 V1420`, dark, 5)
      )
  }
}
