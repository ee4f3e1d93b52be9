/** Commands to the player from keys, buttons and gestures. */
export interface PlayerCommands {
  togglePlay(): void
  seekBy(seconds: number): void
  toggleMute(): void
  toggleFullscreen(): void
  toggleCaptions(): void
  next(): void
  previous(): void
  showShortcuts(): void
}

/**
 * The keyboard shortcuts, for the key handler and for the help sheet that `?` opens. `label` is a key of `player` in
 * the texts.
 */
export const shortcuts = [
  { keys: [' ', 'k'], label: 'playPause', run: (player: PlayerCommands) => player.togglePlay() },
  { keys: ['ArrowLeft'], label: 'back5', run: (player: PlayerCommands) => player.seekBy(-5) },
  { keys: ['ArrowRight'], label: 'forward5', run: (player: PlayerCommands) => player.seekBy(5) },
  { keys: ['j'], label: 'back10', run: (player: PlayerCommands) => player.seekBy(-10) },
  { keys: ['l'], label: 'forward10', run: (player: PlayerCommands) => player.seekBy(10) },
  { keys: ['ArrowDown', 'n'], label: 'next', run: (player: PlayerCommands) => player.next() },
  { keys: ['ArrowUp', 'p'], label: 'previous', run: (player: PlayerCommands) => player.previous() },
  { keys: ['m'], label: 'mute', run: (player: PlayerCommands) => player.toggleMute() },
  { keys: ['c'], label: 'captions', run: (player: PlayerCommands) => player.toggleCaptions() },
  { keys: ['f'], label: 'fullscreen', run: (player: PlayerCommands) => player.toggleFullscreen() },
  { keys: ['?'], label: 'shortcuts', run: (player: PlayerCommands) => player.showShortcuts() },
] as const

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>

/** Returns the shortcut of a key press; undefined while the user types or a focused control uses the key itself. */
export function shortcutFor({ key, ctrlKey, metaKey, altKey, target }: KeyPress) {
  if (ctrlKey || metaKey || altKey) return undefined
  if (target instanceof Element) {
    if (target.closest('input:not([type=range]), select, textarea, dialog, [popover]')) return undefined
    if (key === ' ' && target.closest('button, a, summary')) return undefined
    if (key.startsWith('Arrow') && target.closest('input, [role=slider], [role=radiogroup]')) return undefined
  }
  return shortcuts.find(({ keys }) =>
    keys.some((shortcutKey) => shortcutKey === (key.length === 1 ? key.toLowerCase() : key)),
  )
}
