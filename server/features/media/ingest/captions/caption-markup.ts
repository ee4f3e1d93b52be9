/** What WebVTT and HTML both know. */
const knownEntity = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Words as WebVTT writes them: no mark in them is taken for one of its own. Entities stay as they are. */
export function escapeWords(words: string): string {
  return words.replaceAll(knownEntity, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/** The settings of a caption by its marks of ASS: the first that places it counts. */
export function settingsOf(marks: readonly string[], usual = ''): string {
  const settings = marks.map(placedBy).find((placed) => placed !== undefined) ?? usual
  // Beside a point in the picture, the place says which corner of the words lies there.
  const hasPoint = marks.some((mark) => /\\(pos|move)\(/.test(mark))
  return hasPoint ? settings.replace(/ ?align:.*/, '') : settings
}

function placedBy(mark: string): string | undefined {
  const [, numpad, old] = /\\(?:an([1-9])|a(\d{1,2}))(?!\d)/.exec(mark) ?? []
  if (numpad !== undefined) return settingsAt(numpad)
  return old === undefined ? undefined : settingsAtOld(old)
}

/** The usual place in both countings. */
const footMiddle = 2

/** The settings for a place of `\an` and the styles of ASS, which number as a keypad does. What is not at the top is at the foot. */
export function settingsAt(numpad: string): string {
  const place = Number(/^[1-9]$/.exec(numpad)?.[0] ?? footMiddle)
  return settingsFor(place >= 7, ['right', 'left', undefined][place % 3])
}

/** The settings for a place of `\a` and SSA, which number from 1 at the foot, from 5 at the top, from 9 in the middle. */
export function settingsAtOld(number: string): string {
  const place = Number(/^([1-9]|1[01])$/.exec(number)?.[0] ?? footMiddle)
  return settingsFor(place >= 5 && place <= 7, [undefined, 'left', undefined, 'right'][place % 4])
}

function settingsFor(isTop: boolean, side: string | undefined): string {
  return [...(isTop ? ['line:0'] : []), ...(side ? [`align:${side}`] : [])].join(' ')
}

/** Lines without blank ones, which would end a caption. */
export function writtenLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
