import { indoors } from './indoors.ts'
import { outdoors } from './outdoors.ts'
import type { Place } from './set-parts.ts'
import type { Palette, Random } from './svg.ts'

const places = { ...outdoors, ...indoors }

export type PlaceName = keyof typeof places

export function place(name: PlaceName, palette: Palette, random: Random): Place {
  return places[name](palette, random)
}
