const consonants = 'bcdfghjklmnprstvwz'
const vowels = 'aeiou'
const syllables = consonants.length * vowels.length

/**
 * Generates a word from its number. The same number always gives the same word. Low numbers give short words, because
 * common words are short.
 */
export function randomWord(language: number, number: number): string {
  // A multiplicative hash makes consecutive numbers give different words.
  let mix = Math.imul(number * 5 + language + 1, 2_654_435_761) >>> 0
  let word = ''
  for (let place = number < 5000 ? 3 : 4; place > 0; place--) {
    const syllable = mix % syllables
    word += consonants.charAt(syllable % consonants.length) + vowels.charAt(syllable % vowels.length)
    mix = Math.floor(mix / syllables)
  }
  return word
}

/** Returns the number of different words for a number of videos. It grows more slowly than the number of videos. */
function vocabulary(videos: number): number {
  return Math.round(250 * Math.sqrt(videos))
}

/**
 * Returns a text in all languages as JSON. Word frequencies follow Zipf's law: the tenth word is a tenth as frequent as
 * the first.
 */
export function randomTexts(words: number, videos: number): string {
  const size = vocabulary(videos)
  const text = (language: number) =>
    Array.from({ length: words }, () => randomWord(language, Math.floor(size ** Math.random()))).join(' ')
  return JSON.stringify({ en: text(0), es: text(1), fy: text(2), dy: text(3), pt: text(4) })
}
