import { readFileSync, writeFileSync } from 'node:fs'

/** Display matrices of an MP4 for clockwise rotations: the values a, b, c and d of `[a b 0; c d 0; 0 0 1]`. */
const matrices: Record<number, [number, number, number, number]> = {
  90: [0, 1, -1, 0],
  180: [-1, 0, 0, -1],
  270: [0, -1, 1, 0],
}

/** Sets a clockwise rotation in the header of an MP4's first track, as the camera of a phone does. */
export function rotateMp4(path: string, degrees: number): void {
  const matrix = matrices[degrees]
  const file = readFileSync(path)
  const header = file.indexOf('tkhd')
  if (!matrix || header < 0)
    throw new Error('The file has no track header, or the rotation is not 90, 180 or 270 degrees.')
  // The matrix follows the type and 40 bytes of other fields (ISO/IEC 14496-12, track header).
  const at = header + 4 + 40
  const [a, b, c, d] = matrix.map((value) => value * 65_536)
  for (const [place, value] of [a, b, 0, c, d].entries()) file.writeInt32BE(value ?? 0, at + 4 * place)
  writeFileSync(path, file)
}
