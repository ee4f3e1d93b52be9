/** What WebVTT and HTML both know. */
const knownEntity = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Words as WebVTT writes them: no mark in them is taken for one of its own. Entities stay as they are. */
export function escapeWords(words: string): string {
  return words.replaceAll(knownEntity, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/** What WebVTT writes of a caption at the top, away from words in the picture. */
export const atTop = 'line:0'

/** The settings of a caption by its marks of ASS: the first that places it counts. Other places than the top are the foot. */
export function settingsOf(marks: readonly string[], usual = ''): string {
  for (const mark of marks) {
    const [, numpad, old] = /\\(?:an([1-9])|a(\d{1,2}))(?!\d)/.exec(mark) ?? []
    if (numpad !== undefined) return isTop(numpad) ? atTop : ''
    if (old !== undefined) return isTopOfOld(old) ? atTop : ''
  }
  return usual
}

/** `\an` and the styles of ASS number the places as a keypad does; `\a` and SSA from 1 at the foot, from 5 at the top, from 9 in the middle. */
export const isTop = (numpad: string) => ['7', '8', '9'].includes(numpad)
export const isTopOfOld = (place: string) => ['5', '6', '7'].includes(place)

/** Lines without blank ones, which would end a caption. */
export function writtenLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
