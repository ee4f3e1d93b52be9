/** What WebVTT and HTML both know. */
const knownEntity = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+|#x[\da-f]+);)/gi

/** Words as WebVTT writes them: no mark in them is taken for one of its own. Entities stay as they are. */
export function escapeWords(words: string): string {
  return words.replaceAll(knownEntity, '&amp;').replaceAll('<', '&lt;').replaceAll('-->', '--&gt;')
}

/** Lines without blank ones, which would end a caption. */
export function writtenLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
