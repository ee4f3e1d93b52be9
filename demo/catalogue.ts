import { finePrint } from "#demo/dramas/fine-print.ts";
import { midnightHeir } from "#demo/dramas/midnight-heir.ts";
import { theLampAtSkerry } from "#demo/dramas/the-lamp-at-skerry.ts";
import { thursdayAgain } from "#demo/dramas/thursday-again.ts";
import type { Drama } from "#demo/story.ts";

export type { Drama } from "#demo/story.ts";
export { renderEpisode } from "#demo/render-episode.ts";
export { writeDramaFolder } from "#demo/write-folder.ts";

/** The demo's dramas in the order in which they are made and shown. */
export const dramas: readonly Drama[] = [midnightHeir, finePrint, theLampAtSkerry, thursdayAgain];
