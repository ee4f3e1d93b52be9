/** Entities that WebVTT shares with HTML. */
const unescapedAmpersand = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Escapes text for WebVTT, so that nothing in it is read as markup. Entities stay unchanged. */
export function escapeCueText(text: string): string {
  return text.replaceAll(unescapedAmpersand, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/** Returns the settings of a caption by its ASS override codes: the first position counts. */
export function cueSettings(overrideCodes: readonly string[], defaultSettings = ''): string {
  const settings = overrideCodes.map(settingsOfCode).find((placed) => placed !== undefined) ?? defaultSettings
  // With explicit coordinates, the alignment states which corner of the text is placed there.
  const hasPoint = overrideCodes.some((mark) => /\\(pos|move)\(/.test(mark))
  return hasPoint ? settings.replace(/ ?align:.*/, '') : settings
}

function settingsOfCode(code: string): string | undefined {
  const [, numpad, old] = /\\(?:an([1-9])|a(\d{1,2}))(?!\d)/.exec(code) ?? []
  if (numpad !== undefined) return settingsForAssAlignment(numpad)
  return old === undefined ? undefined : settingsForSsaAlignment(old)
}

/** The default alignment in both numberings. */
const bottomCenter = 2

/**
 * Returns the settings for an alignment of `\an` and the styles of ASS, numbered like a keypad. Anything not at the top is at the
 * bottom.
 */
export function settingsForAssAlignment(numpad: string): string {
  const alignment = Number(/^[1-9]$/.exec(numpad)?.[0] ?? bottomCenter)
  return buildSettings(alignment >= 7, ['right', 'left', undefined][alignment % 3])
}

/** Returns the settings for an alignment of `\a` and SSA, numbered from 1 at the bottom, from 5 at the top, from 9 in the middle. */
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

/** Splits text into lines without blank ones, which would end a caption. */
export function nonBlankLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
