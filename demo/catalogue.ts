import { coldDish } from '#demo/dramas/cold-dish.ts'
import { finePrint } from '#demo/dramas/fine-print.ts'
import { ghostWriter } from '#demo/dramas/ghost-writer.ts'
import { glassDesert } from '#demo/dramas/glass-desert.ts'
import { midnightHeir } from '#demo/dramas/midnight-heir.ts'
import { nightTrain } from '#demo/dramas/night-train.ts'
import { nurse7 } from '#demo/dramas/nurse-7.ts'
import { queenTakesAll } from '#demo/dramas/queen-takes-all.ts'
import { salt } from '#demo/dramas/salt.ts'
import { theLampAtSkerry } from '#demo/dramas/the-lamp-at-skerry.ts'
import { theThirteenthWindow } from '#demo/dramas/the-thirteenth-window.ts'
import { thursdayAgain } from '#demo/dramas/thursday-again.ts'
import type { Drama } from '#demo/story.ts'
import { freeEpisodes } from '#demo/write-folder.ts'

export type { Drama } from '#demo/story.ts'
export { categoryNames, tagNames } from '#demo/names.ts'
export { renderEpisode } from '#demo/render-episode.ts'
export { writeDramaFolder } from '#demo/write-folder.ts'

/** The demo's dramas in the order in which they are shown. */
export const dramas: readonly Drama[] = [
  midnightHeir,
  finePrint,
  theLampAtSkerry,
  nightTrain,
  salt,
  queenTakesAll,
  thursdayAgain,
  glassDesert,
  ghostWriter,
  theThirteenthWindow,
  nurse7,
  coldDish,
]

/**
 * Returns an episode's rank in the order of rendering; lower ranks are rendered first. The first drama is rendered up
 * to its first locked episode, so that a newcomer soon reaches the paywall. The first episodes of all other dramas
 * follow, then their second episodes, and so on.
 */
export function renderRank(drama: Drama, number: number): number {
  return drama === dramas[0] && number <= freeEpisodes + 1 ? 0 : number
}
