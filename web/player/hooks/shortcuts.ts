/** Commands of keys, buttons and gestures to the player. */
export interface Commands {
  togglePlay(): void
  seekBy(seconds: number): void
  toggleMute(): void
  toggleFullscreen(): void
  toggleCaptions(): void
  next(): void
  previous(): void
  showShortcuts(): void
}

/** The keys as a table, which the handler and the sheet on `?` both read. `label` is a key of `player` in the texts. */
export const shortcuts = [
  { keys: [' ', 'k'], label: 'playPause', run: (player: Commands) => player.togglePlay() },
  { keys: ['ArrowLeft'], label: 'back5', run: (player: Commands) => player.seekBy(-5) },
  { keys: ['ArrowRight'], label: 'forward5', run: (player: Commands) => player.seekBy(5) },
  { keys: ['j'], label: 'back10', run: (player: Commands) => player.seekBy(-10) },
  { keys: ['l'], label: 'forward10', run: (player: Commands) => player.seekBy(10) },
  { keys: ['ArrowDown', 'n'], label: 'next', run: (player: Commands) => player.next() },
  { keys: ['ArrowUp', 'p'], label: 'previous', run: (player: Commands) => player.previous() },
  { keys: ['m'], label: 'mute', run: (player: Commands) => player.toggleMute() },
  { keys: ['c'], label: 'captions', run: (player: Commands) => player.toggleCaptions() },
  { keys: ['f'], label: 'fullscreen', run: (player: Commands) => player.toggleFullscreen() },
  { keys: ['?'], label: 'shortcuts', run: (player: Commands) => player.showShortcuts() },
] as const

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>

/** Returns the shortcut of a key press; undefined while the user types or operates a control with the same key. */
export function shortcutFor({ key, ctrlKey, metaKey, altKey, target }: Press) {
  if (ctrlKey || metaKey || altKey) return undefined
  if (target instanceof Element) {
    if (target.closest('input:not([type=range]), select, textarea, dialog, [popover]')) return undefined
    if (key === ' ' && target.closest('button, a, summary')) return undefined
    if (key.startsWith('Arrow') && target.closest('input, [role=slider], [role=radiogroup]')) return undefined
  }
  return shortcuts.find(({ keys }) =>
    keys.some((wanted) => wanted === (key.length === 1 ? key.toLowerCase() : key)),
  )
}
