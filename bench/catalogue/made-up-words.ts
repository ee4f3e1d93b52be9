const consonants = 'bcdfghjklmnprstvwz'
const vowels = 'aeiou'
const syllables = consonants.length * vowels.length

/** The word of this number in a made-up language, the same every time. Low numbers are short, as common words are. */
export function madeUpWord(language: number, number: number): string {
  // A multiplicative hash, so that neighbours are not alike.
  let mix = Math.imul(number * 5 + language + 1, 2_654_435_761) >>> 0
  let word = ''
  for (let place = number < 5000 ? 3 : 4; place > 0; place--) {
    const syllable = mix % syllables
    word += consonants.charAt(syllable % consonants.length) + vowels.charAt(syllable % vowels.length)
    mix = Math.floor(mix / syllables)
  }
  return word
}

/** How many words the texts of so many videos have between them: the more there are, the fewer are new. */
function vocabulary(videos: number): number {
  return Math.round(250 * Math.sqrt(videos))
}

/** A text as JSON in all languages. Word number one comes up most, number ten a tenth as often. */
export function madeUpTexts(words: number, videos: number): string {
  const size = vocabulary(videos)
  const text = (language: number) =>
    Array.from({ length: words }, () => madeUpWord(language, Math.floor(size ** Math.random()))).join(' ')
  return JSON.stringify({ en: text(0), es: text(1), fy: text(2), dy: text(3), pt: text(4) })
}
