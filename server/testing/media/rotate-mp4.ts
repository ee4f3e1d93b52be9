import { readFileSync, writeFileSync } from 'node:fs'

/** The values a, b, c and d of a display matrix `[a b 0; c d 0; 0 0 1]`. */
export type DisplayMatrix = readonly [a: number, b: number, c: number, d: number]

/** Display matrices of an MP4 for clockwise rotations. */
const matrices: Record<number, DisplayMatrix> = {
  90: [0, 1, -1, 0],
  180: [-1, 0, 0, -1],
  270: [0, -1, 1, 0],
}

/** Sets a clockwise rotation in the header of an MP4's first track, as the camera of a phone does. */
export function rotateMp4(path: string, degrees: number): void {
  const matrix = matrices[degrees]
  if (!matrix) throw new Error('The rotation is not 90, 180 or 270 degrees.')
  setDisplayMatrix(path, matrix)
}

/** Sets the display matrix in the header of an MP4's first track. */
export function setDisplayMatrix(path: string, [a, b, c, d]: DisplayMatrix): void {
  const file = readFileSync(path)
  const header = file.indexOf('tkhd')
  if (header < 0) throw new Error('The file has no track header.')
  // The matrix follows the type and 40 bytes of other fields (ISO/IEC 14496-12, track header).
  const at = header + 4 + 40
  for (const [place, value] of [a, b, 0, c, d].entries()) file.writeInt32BE(65_536 * value, at + 4 * place)
  writeFileSync(path, file)
}
