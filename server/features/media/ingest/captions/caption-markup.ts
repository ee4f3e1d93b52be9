/** Entities that WebVTT shares with HTML. */
const knownEntity = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Escapes text for WebVTT, so that nothing in it is read as markup. Entities stay unchanged. */
export function escapeWords(words: string): string {
  return words.replaceAll(knownEntity, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/** Returns the settings of a caption by its ASS override codes: the first position counts. */
export function settingsOf(marks: readonly string[], usual = ''): string {
  const settings = marks.map(placedBy).find((placed) => placed !== undefined) ?? usual
  // With explicit coordinates, the alignment states which corner of the text is placed there.
  const hasPoint = marks.some((mark) => /\\(pos|move)\(/.test(mark))
  return hasPoint ? settings.replace(/ ?align:.*/, '') : settings
}

function placedBy(mark: string): string | undefined {
  const [, numpad, old] = /\\(?:an([1-9])|a(\d{1,2}))(?!\d)/.exec(mark) ?? []
  if (numpad !== undefined) return settingsAt(numpad)
  return old === undefined ? undefined : settingsAtOld(old)
}

/** The default alignment in both numberings. */
const footMiddle = 2

/**
 * Returns the settings for an alignment of `\an` and the styles of ASS, numbered like a keypad. Anything not at the top is at the
 * bottom.
 */
export function settingsAt(numpad: string): string {
  const place = Number(/^[1-9]$/.exec(numpad)?.[0] ?? footMiddle)
  return settingsFor(place >= 7, ['right', 'left', undefined][place % 3])
}

/** Returns the settings for an alignment of `\a` and SSA, numbered from 1 at the bottom, from 5 at the top, from 9 in the middle. */
export function settingsAtOld(number: string): string {
  const place = Number(/^([1-9]|1[01])$/.exec(number)?.[0] ?? footMiddle)
  return settingsFor(place >= 5 && place <= 7, [undefined, 'left', undefined, 'right'][place % 4])
}

function settingsFor(isTop: boolean, side: string | undefined): string {
  return [...(isTop ? ['line:0'] : []), ...(side ? [`align:${side}`] : [])].join(' ')
}

/** Splits text into lines without blank ones, which would end a caption. */
export function writtenLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
