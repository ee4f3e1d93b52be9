const consonants = 'bcdfghjklmnprstvwz'
const vowels = 'aeiou'
const syllables = consonants.length * vowels.length

/** Returns the word of this number in a generated language, deterministically. Low numbers give short words, like common ones. */
export function randomWord(language: number, number: number): string {
  // A multiplicative hash, so that consecutive words differ.
  let mix = Math.imul(number * 5 + language + 1, 2_654_435_761) >>> 0
  let word = ''
  for (let place = number < 5000 ? 3 : 4; place > 0; place--) {
    const syllable = mix % syllables
    word += consonants.charAt(syllable % consonants.length) + vowels.charAt(syllable % vowels.length)
    mix = Math.floor(mix / syllables)
  }
  return word
}

/** Returns the vocabulary size for this number of videos; it grows more slowly than the number of videos. */
function vocabulary(videos: number): number {
  return Math.round(250 * Math.sqrt(videos))
}

/** Returns a text in all languages as JSON. Word frequencies follow Zipf's law: word 10 is a tenth as frequent as word 1. */
export function randomTexts(words: number, videos: number): string {
  const size = vocabulary(videos)
  const text = (language: number) =>
    Array.from({ length: words }, () => randomWord(language, Math.floor(size ** Math.random()))).join(' ')
  return JSON.stringify({ en: text(0), es: text(1), fy: text(2), dy: text(3), pt: text(4) })
}
