import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { covers } from './site-steps.ts'

/** Creates covers for the generated videos, with the size and detail of real covers. */
export async function makeCovers(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'storage', 'public', 'covers')
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < covers; number++) {
    const noise = { type: 'gaussian' as const, mean: 60 + number * 12, sigma: 40 }
    await sharp({ create: { width: 600, height: 800, channels: 3, background: 'black', noise } })
      .blur(3)
      .webp({ quality: 80 })
      .toFile(join(folder, `bench-${number}.webp`))
  }
}
