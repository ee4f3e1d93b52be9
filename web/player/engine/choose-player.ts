import { openLazyHlsPlayer } from './lazy-hls-player.ts'
import { openNativePlayer, shouldStartNatively } from './native-player.ts'
import { openNativeThenHls } from './native-then-hls.ts'
import type { OpenPlayer, Source } from './player.ts'

/** False on older iPhones, which have no Media Source Extensions. */
const supportsMediaSource = 'MediaSource' in globalThis || 'ManagedMediaSource' in globalThis

/**
 * Chooses between the browser's native player and hls.js. Browsers in which hls.js cannot run use the native player.
 * The episode on screen starts in the native player if that is faster, and hls.js takes over if the native player
 * fails.
 * @param active whether the episode is on screen
 */
export function choosePlayer(source: Source, active: boolean): OpenPlayer {
  if (!supportsMediaSource) return openNativePlayer
  return active && shouldStartNatively(source) ? openNativeThenHls : openLazyHlsPlayer
}
