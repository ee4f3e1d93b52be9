import { group, line } from './svg.ts'

/**
 * Capital letters as strokes in a box 100 high. Letters are drawn, because the machine that renders may have no fonts.
 * Each letter has a width, stems (thicker than the other strokes in the typeface `deco`) and other strokes.
 */
const letters: Record<string, readonly [width: number, stems: string, others: string]> = {
  A: [76, 'M38 0 L76 100', 'M38 0 L0 100 M14 66 H62'],
  B: [58, 'M0 0 V100', 'M0 0 H30 A24 24 0 0 1 30 48 H0 M30 48 H32 A26 26 0 0 1 32 100 H0'],
  C: [80, '', 'M80 22 A46 50 0 1 0 80 78'],
  D: [72, 'M0 0 V100', 'M0 0 H24 A48 50 0 0 1 24 100 H0'],
  E: [50, 'M0 0 V100', 'M50 0 H0 M42 48 H0 M50 100 H0'],
  F: [48, 'M0 0 V100', 'M48 0 H0 M40 48 H0'],
  G: [84, '', 'M80 20 A46 50 0 1 0 84 60 V54 H52'],
  H: [68, 'M0 0 V100 M68 0 V100', 'M0 48 H68'],
  I: [0, 'M0 0 V100', ''],
  J: [38, 'M38 0 V70', 'M38 70 A20 28 0 0 1 0 78'],
  K: [62, 'M0 0 V100', 'M60 0 L0 58 M20 40 L64 100'],
  L: [46, 'M0 0 V100', 'M0 100 H46'],
  M: [88, 'M8 0 L44 74 M88 100 L80 0', 'M0 100 L8 0 M44 74 L80 0'],
  N: [72, 'M0 0 L72 100', 'M0 100 V0 M72 100 V0'],
  O: [96, '', 'M48 0 A48 50 0 1 0 48 100 A48 50 0 1 0 48 0'],
  P: [56, 'M0 0 V100', 'M0 0 H28 A27 27 0 0 1 28 54 H0'],
  Q: [96, '', 'M48 0 A48 50 0 1 0 48 100 A48 50 0 1 0 48 0 M60 72 L96 108'],
  R: [60, 'M0 0 V100', 'M0 0 H28 A27 26 0 0 1 28 52 H0 M26 52 L60 100'],
  S: [56, '', 'M54 18 C46 -6 4 -6 4 24 C4 52 56 44 56 74 C56 106 8 106 0 80'],
  T: [64, 'M32 0 V100', 'M0 0 H64'],
  U: [68, 'M0 0 V64', 'M0 64 A34 36 0 0 0 68 64 V0'],
  V: [74, 'M0 0 L37 100', 'M37 100 L74 0'],
  W: [112, 'M0 0 L28 100 M56 12 L84 100', 'M28 100 L56 12 M84 100 L112 0'],
  X: [68, 'M0 0 L68 100', 'M68 0 L0 100'],
  Y: [68, 'M0 0 L34 50 V100', 'M68 0 L34 50'],
  Z: [62, 'M62 0 L0 100', 'M0 0 H62 M0 100 H62'],
  '7': [52, 'M52 0 L16 100', 'M0 0 H52'],
  "'": [4, 'M4 0 L0 22', ''],
}

/**
 * Typeface. `thin` is light and widely spaced, `deco` combines thick stems with hairlines, `bold` is heavy and narrowly
 * spaced.
 */
export type Face = 'thin' | 'deco' | 'bold'

const faces: Record<Face, { stem: number; hair: number; gap: number }> = {
  thin: { stem: 8, hair: 8, gap: 44 },
  deco: { stem: 17, hair: 6, gap: 30 },
  bold: { stem: 20, hair: 20, gap: 36 },
}

function wordWidth(word: string, gap: number): number {
  return [...word].reduce(
    (sum, letter) => sum + (letter === ' ' ? 14 : (letters[letter]?.[0] ?? 0)) + gap,
    -gap,
  )
}

/** Draws a line of capitals centred on `x`, at most `width` wide and `tallest` high. Also returns its height. */
export function lettering(
  word: string,
  face: Face,
  x: number,
  y: number,
  width: number,
  tallest: number,
  colour: string,
): { drawn: string; height: number } {
  const { stem, hair, gap } = faces[face]
  const total = wordWidth(word, gap)
  const scale = Math.min(width / total, tallest / 100)
  let pen = 0
  const strokes = [...word].map((letter) => {
    const [advance, stems, others] = letters[letter] ?? [14, '', '']
    const drawn = group(line(others, colour, hair) + line(stems, colour, stem), `translate(${pen} 0)`)
    pen += advance + gap
    return drawn
  })
  return {
    drawn: group(strokes.join(''), `translate(${x - (total * scale) / 2} ${y}) scale(${scale})`),
    height: 100 * scale,
  }
}
