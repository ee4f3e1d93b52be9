/** Matches an ampersand that does not start an entity of WebVTT. */
const unescapedAmpersand = /&(?!(?:amp|lt|gt|quot|apos|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Escapes text for WebVTT, so that no part of it is read as markup. Entities remain unchanged. */
export function escapeCueText(text: string): string {
  return text.replaceAll(unescapedAmpersand, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/**
 * Converts a caption's ASS override codes to WebVTT cue settings. Only the first alignment code counts. Without an
 * alignment code, returns `defaultSettings`.
 */
export function cueSettings(overrideCodes: readonly string[], defaultSettings = ''): string {
  const settings = overrideCodes.map(settingsOfCode).find((placed) => placed !== undefined) ?? defaultSettings
  // With explicit coordinates, the ASS alignment selects the anchor point of the text, not a side of the screen.
  const hasPoint = overrideCodes.some((mark) => /\\(pos|move)\(/.test(mark))
  return hasPoint ? settings.replace(/ ?align:.*/, '') : settings
}

function settingsOfCode(code: string): string | undefined {
  const [, numpad, old] = /\\(?:an([1-9])|a(\d{1,2}))(?!\d)/.exec(code) ?? []
  if (numpad !== undefined) return settingsForAssAlignment(numpad)
  return old === undefined ? undefined : settingsForSsaAlignment(old)
}

/** The number of the default alignment, bottom centre, in both ASS and SSA. */
const bottomCenter = 2

/**
 * Returns the cue settings for an alignment number of `\an` or an ASS style. The numbers are those of a numeric keypad,
 * so 7 to 9 are the top row. The middle row is shown at the bottom.
 */
export function settingsForAssAlignment(numpad: string): string {
  const alignment = Number(/^[1-9]$/.exec(numpad)?.[0] ?? bottomCenter)
  return buildSettings(alignment >= 7, ['right', 'left', undefined][alignment % 3])
}

/**
 * Returns the cue settings for an alignment number of `\a` or an SSA style. 1 to 3 are the bottom row, 5 to 7 the top
 * row, 9 to 11 the middle row. The middle row is shown at the bottom.
 */
export function settingsForSsaAlignment(number: string): string {
  const alignment = Number(/^([1-9]|1[01])$/.exec(number)?.[0] ?? bottomCenter)
  return buildSettings(
    alignment >= 5 && alignment <= 7,
    [undefined, 'left', undefined, 'right'][alignment % 4],
  )
}

function buildSettings(isTop: boolean, side: string | undefined): string {
  return [...(isTop ? ['line:0'] : []), ...(side ? [`align:${side}`] : [])].join(' ')
}

/** Splits text into lines and drops blank ones, because a blank line would end the WebVTT cue. */
export function nonBlankLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
