import { expect, test } from 'vitest'
import { convertCaptions } from './convert-captions.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

const clean = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\n'
const make = (text: string) => convertCaptions(Buffer.from(text)).text

test.each([
  ['clean WebVTT', clean],
  ['WebVTT with a byte order mark and Windows line ends', `\uFEFF${clean.replaceAll('\n', '\r\n')}`],
  [
    'WebVTT with a title, a note, a style, a named caption, and times without hours',
    'WEBVTT - English\n\nNOTE by me\n\nSTYLE\n::cue {}\n\nfirst\n00:01.000 --> 00:02.500\nHello\n',
  ],
  ['SubRip', '1\n00:00:01,000 --> 00:00:02,500\nHello\n'],
])('%s becomes clean WebVTT', (_, text) => {
  expect(make(text)).toBe(clean)
})

test.each([
  ['SubRip', '1\n00:00:01,000 --> 00:00:02,500\nHello\n\n2\n00:00:0x,000 --> 00:00:04,000\nLost\n', 6],
  ['WebVTT', `${clean}\n00:05.000 --> 00:04.000\nLost\n`, 6],
  ['none in valid SubRip', '1\n00:00:01,000 --> 00:00:02,500\nHello\n', undefined],
])('the line of the first omitted caption is reported: %s', (_, text, omittedLine) => {
  expect(convertCaptions(Buffer.from(text))).toEqual({ text: clean, omittedLine })
})

test('a caption keeps its position and its two lines', () => {
  expect(make('WEBVTT\n\n00:01.000 --> 00:02.000 line:10% align:start\nOne\nTwo\n')).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.000 line:10% align:start\nOne\nTwo\n',
  )
})

test.each([
  ['', 'is empty'],
  ['WEBVTT\n', 'contains no captions'],
  ['Dear diary,\nnothing happened.\n', 'is neither WebVTT nor SubRip'],
  ['1\n00:00:0x,000 --> 00:00:01,000\nHello\n', 'has no timestamps in line 2'],
  ['WEBVTT\n\n00:00:05.000 --> 00:00:01.000\nHello\n', 'line 3 that ends before it starts'],
  ['WEBVTT\n\n00:00:0x.000 --> 00:00:01.000\nHello\n', 'has no timestamps in line 3'],
])('the caption file %j is refused: %s', (text, reason) => {
  expect(() => make(text)).toThrow(reason)
})

test.each([
  [
    'a line of one space does not end a caption',
    '00:01.000 --> 00:02.000\n \nOne',
    '00:00:01.000 --> 00:00:02.000\n \nOne',
  ],
  [
    'an arrow begins a caption even without an empty line before it',
    '00:01.000 --> 00:02.000\nA\n00:02.000 --> 00:03.000\nB',
    '00:00:01.000 --> 00:00:02.000\nA\n\n00:00:02.000 --> 00:00:03.000\nB',
  ],
  ['no space is needed at the arrow', '00:01.000-->00:02.000\nA', '00:00:01.000 --> 00:00:02.000\nA'],
  [
    'a caption may have a name that begins with NOTE',
    'NOTE 1\n00:01.000 --> 00:02.000\nA',
    '00:00:01.000 --> 00:00:02.000\nA',
  ],
  [
    'a note may have several lines',
    'NOTE\nA\nB\n\n00:01.000 --> 00:02.000\nA',
    '00:00:01.000 --> 00:00:02.000\nA',
  ],
  [
    'a caption with invalid times is omitted',
    '00:0x.000 --> 00:02.000\nA\n\n00:03.000 --> 00:04.000\nB',
    '00:00:03.000 --> 00:00:04.000\nB',
  ],
  [
    'a caption without duration is omitted',
    '00:01.000 --> 00:01.000\nA\n\n00:03.000 --> 00:04.000\nB',
    '00:00:03.000 --> 00:00:04.000\nB',
  ],
  [
    'a region is omitted, with references to it',
    'REGION\nid:a\n\n00:01.000 --> 00:02.000 region:a line:0\nA',
    '00:00:01.000 --> 00:00:02.000 line:0\nA',
  ],
  [
    'a "<" in the text is escaped, and tags remain',
    '00:01.000 --> 00:02.000\nI <3 <b>you</b> <00:01.500>all',
    '00:00:01.000 --> 00:00:02.000\nI &lt;3 <b>you</b> <00:01.500>all',
  ],
])('in WebVTT %s', (_, body, expected) => {
  expect(make(`WEBVTT\n\n${body}\n`)).toBe(`WEBVTT\n\n${expected}\n`)
})

test('a caption directly after the WebVTT header is accepted', () => {
  expect(make('WEBVTT\nKind: captions\n00:01.000 --> 00:02.000\nA\n')).toContain('\nA\n')
})

const srt = (words: string) => `1\n00:00:01,000 --> 00:00:02,500\n${words}\n`
test.each([
  ['I <3 you & more', 'I &lt;3 you &amp; more'],
  ['R&amp;B', 'R&amp;B'],
  ['&quot;It&#39;s R&D&quot;', '&quot;It&#39;s R&amp;D&quot;'],
  ['{\\an2}<font color="#ffff00">Foot</font>', 'Foot'],
  ['<I>One</I> <b>two</b> <s>three</s>', '<i>One</i> <b>two</b> three'],
  ['One\\NTwo', 'One\nTwo'],
  ['One\\htwo\\nthree', 'One\u00A0two three'],
  ['One<br>two<br/>three', 'One\ntwo\nthree'],
  ['<em>One</em> <STRONG>two</STRONG>', '<i>One</i> <b>two</b>'],
  ['<v Bob><c.yellow>One</c> <span class="x">two</span>', 'One two'],
  ['<laughs> a<b', '&lt;laughs> a&lt;b'],
  ['{you} and I', '{you} and I'],
  ['One\n\nTwo', 'One\nTwo'],
  ['A --> B', 'A --&gt; B'],
  ['7', '7'],
])('%j in SubRip is shown as %j', (words, shown) => {
  expect(make(srt(words))).toBe(`WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n${shown}\n`)
})

test.each([
  ['{\\an8}Top', ' line:0'],
  ['{\\an7\\fad(100,100)}Top', ' line:0 align:left'],
  ['{\\an7\\pos(100,100)}Top', ' line:0'],
  ['{\\an3}{\\move(1,2,3,4)}Top', ''],
  ['{\\an1}Top', ' align:left'],
  ['{\\an6}Top', ' align:right'],
  ['{\\a9}Top', ' align:left'],
  ['{\\a7}Top', ' line:0 align:right'],
  ['{\\i1}{\\a6}Top', ' line:0'],
  ['{\\an2}{\\an8}Top', ''],
  ['{\\a10}Top', ''],
  ['{\\alpha8}Top', ''],
  ['Top', ''],
])('SubRip with %j has the settings %j', (words, settings) => {
  expect(make(srt(words))).toBe(`WEBVTT\n\n00:00:01.000 --> 00:00:02.500${settings}\nTop\n`)
})

test.each([
  { styles: 'V4+ Styles', alignment: 8, words: 'Up', settings: ' line:0' },
  { styles: 'V4+ Styles', alignment: 2, words: 'Up', settings: '' },
  { styles: 'V4 Styles', alignment: 6, words: 'Up', settings: ' line:0' },
  { styles: 'V4 Styles', alignment: 8, words: 'Up', settings: '' },
  { styles: 'V4 Styles', alignment: 10, words: 'Up', settings: '' },
  { styles: 'V4+ Styles', alignment: 2, words: '{\\an9}Up', settings: ' line:0 align:right' },
  { styles: 'V4+ Styles', alignment: 1, words: 'Up', settings: ' align:left' },
  { styles: 'V4+ Styles', alignment: 0, words: 'Up', settings: '' },
  { styles: 'V4+ Styles', alignment: 1, words: '{\\pos(9,9)}Up', settings: '' },
  { styles: 'V4 Styles', alignment: 3, words: 'Up', settings: ' align:right' },
  { styles: 'V4+ Styles', alignment: 8, words: '{\\an2}Up', settings: '' },
])(
  'ASS with a style in $styles, the alignment $alignment and the text $words has the settings "$settings"',
  ({ styles, alignment, words, settings }) => {
    const lines = [
      '[Script Info]',
      `[${styles}]`,
      'Format: Name, Alignment, Encoding',
      `Style: Sign,${alignment},1`,
      '[Events]',
      'Format: Start, End, Style, Text',
      `Dialogue: 0:00:01.00,0:00:02.50,*Sign,${words}`,
    ]
    expect(make(lines.join('\n'))).toBe(`WEBVTT\n\n00:00:01.000 --> 00:00:02.500${settings}\nUp\n`)
  },
)

test.each([
  ['nothing', '\n'],
  ['an empty line', '\n\n'],
])('SubRip with %s between captions has two captions', (_, between) => {
  const second = '2\n00:00:03,000 --> 00:00:04,000\nTwo\n'
  expect(make(`${srt('One').trimEnd()}${between}${second}`)).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nOne\n\n00:00:03.000 --> 00:00:04.000\nTwo\n',
  )
})

test.each([
  ['00.00.03,000 --> 00.00.04,000', '00:00:03.000 --> 00:00:04.000'],
  ['00:00:03,000 -> 00:00:04,000', '00:00:03.000 --> 00:00:04.000'],
  ['-00:00:01,000 --> 00:00:04,000', '00:00:00.000 --> 00:00:04.000'],
  ['00:03.50 --> 00:04', '00:00:03.500 --> 00:00:04.000'],
])('SubRip with times like %s has two captions', (times, shown) => {
  expect(make(`${srt('One')}\n2\n${times}\nTwo\n`)).toBe(
    `WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nOne\n\n${shown}\nTwo\n`,
  )
})

test.each(['At 12:30 -> the bank', '3.5 -> 4.5', '-00:00:02,000'])(
  'a line of text in SubRip that resembles times remains text: %s',
  (words) => {
    expect(make(srt(`One\n${words}`))).toContain(`\n${words}\n`)
  },
)

test('a number in the text remains if the caption has no index', () => {
  const converted = make('00:00:01,000 --> 00:00:02,000\n42\n\n00:00:03,000 --> 00:00:04,000\nB\n')
  expect(converted).toContain('\n42\n')
})

test('ASS is converted to its text and line breaks, without override codes, drawings and comments', () => {
  const ass = [
    '[Script Info]',
    '[V4+ Styles]',
    'Format: Name, Fontname',
    '[Events]',
    'Format: Start, End, Style, Text',
    'Dialogue: 0:00:03.00,0:00:04.00,Main,Second, & <last>',
    'Comment: 0:00:00.00,0:00:09.00,Main,This is a comment',
    'Dialogue: 0:00:02.00,0:00:02.50,Main,{\\p1}m 0 0 l 9 9{\\p0}',
    'Dialogue: 0:00:01.00,0:00:02.50,Main,{\\an8\\i1}First{\\i0}\\N{\\p1\\p0}li{\\p2}m 0 0{\\p0}ne',
  ].join('\r\n')
  expect(make(ass)).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.500 line:0\nFirst\nline\n\n00:00:03.000 --> 00:00:04.000\nSecond, &amp; &lt;last>\n',
  )
})

const events = '[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.50,'
test.each([
  { words: String.raw`\{hello\} {\i1}you{\i0}`, isConverted: false, shown: '{hello} you' },
  { words: String.raw`Hi {aside}you`, isConverted: false, shown: 'Hi you' },
  { words: String.raw`Hi {you} {\b1}all{\b0}`, isConverted: true, shown: 'Hi {you} all' },
  { words: String.raw`Hi \{you\}`, isConverted: true, shown: 'Hi {you}' },
])(
  'ASS with the text $words (converted by ffmpeg: $isConverted) is shown as $shown',
  ({ words, isConverted, shown }) => {
    expect(convertCaptions(Buffer.from(events + words), { isConverted }).text).toContain(`\n${shown}\n`)
  },
)

const french = clean.replace('Hello', '«\u00A0Café à la crème, Œuvre…\u00A0»')
test.each([
  ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${french}`, 'utf16le')],
  ['UTF-16 without a byte order mark', Buffer.from(french, 'utf16le')],
  ['big-endian UTF-16', Buffer.from(`\uFEFF${french}`, 'utf16le').swap16()],
  ['big-endian UTF-16 without a byte order mark', Buffer.from(french, 'utf16le').swap16()],
  ['Windows-1252', Buffer.from(french.replace('Œ', '\x8c').replace('…', '\x85'), 'latin1')],
])('%s is accepted', (_, bytes) => {
  expect(convertCaptions(bytes).text).toBe(french)
})

test.each([
  ['\x84Er sagt \x82ja\x91.\x93', '„Er sagt ‚ja‘.“'],
  ['\xb6 S\xf8ren \xc5kesson, 5 m\xb2', '¶ Søren Åkesson, 5 m²'],
  ['Wort\xadteil', 'Wort\u00ADteil'],
])('Windows-1252 with %j is read as %s', (written, words) => {
  expect(convertCaptions(Buffer.from(clean.replace('Hello', written), 'latin1')).text).toContain(
    `\n${words}\n`,
  )
})

test.each([
  ['French in a DOS code page', Buffer.from('63616682', 'hex')],
  ['German in a DOS code page', Buffer.from('4d84646368656e', 'hex')],
  ['German in Mac OS Roman', Buffer.from('4d8a646368656e', 'hex')],
  ['Russian in Windows-1251', Buffer.from('cff0e8e2e5f2', 'hex')],
  ['French in Mac OS Roman', Buffer.from('636166 8e'.replace(' ', ''), 'hex')],
])('%s is refused, because it would be decoded to wrong text', (_, word) => {
  const bytes = Buffer.concat([Buffer.from(clean), word])
  expect(() => convertCaptions(bytes)).toThrow('isn’t UTF-8 text')
})

test.each([
  { fault: 'one invalid byte', bytes: Buffer.concat([Buffer.from(french), Buffer.from([0xe9])]) },
  { fault: 'an end within a character', bytes: Buffer.from(`${french}é`).subarray(0, -1) },
])('UTF-8 with $fault keeps its other characters', ({ bytes }) => {
  expect(convertCaptions(bytes).text).toBe(`${french}\uFFFD\n`)
})

const utf8 = (text: string) => Buffer.from(text).toString('latin1')
test.each([
  {
    file: 'whose halves are UTF-8 and Windows-1252',
    written: `${utf8('Café, crème, déjà, «là», ♪')} Caf\xe9, cr\xe8me, d\xe9j\xe0, \xabl\xe0\xbb`,
    words: 'Café, crème, déjà, «là», ♪ Café, crème, déjà, «là»',
  },
  {
    file: 'with more UTF-8 than Windows-1252',
    written: `${utf8('Ärger, Öl, süß, Fuß')} und k\xfchle B\xe4ume`,
    words: 'Ärger, Öl, süß, Fuß und kühle Bäume',
  },
  {
    file: 'in Windows-1252 in which two bytes are also valid UTF-8',
    written: '\x84Spa\xdf\x93, \x84Oh, K\xc4\x93, touch\xe9\x85\x94, CAF\xc9\xbb',
    words: '„Spaß“, „Oh, KÄ“, touché…”, CAFÉ»',
  },
  {
    file: 'with an end within a quotation mark',
    written: `${utf8('It’s')} Caf\xe9 \xe2\x80`,
    words: 'It’s Café \uFFFD',
  },
])('a file $file is decoded completely', ({ written, words }) => {
  const bytes = Buffer.from(clean.replace('Hello', written), 'latin1')
  expect(convertCaptions(bytes).text).toContain(`\n${words}\n`)
})

test('byte order marks are skipped in a file of UTF-8 and Windows-1252', () => {
  const mark = utf8('\uFEFF')
  const written = `${mark}${clean.replace('Hello', `Caf\xe9 ${mark}${utf8('It’s')}`)}`
  expect(convertCaptions(Buffer.from(written, 'latin1')).text).toBe(clean.replace('Hello', 'Café It’s'))
})

test('a file that is neither UTF-8 nor Windows-1252 is refused', () => {
  const bytes = Buffer.from(clean.replace('Hello', `${utf8('Café à la crème')} \x81\x8d\x90`), 'latin1')
  expect(() => convertCaptions(bytes)).toThrow('isn’t UTF-8 text')
})

test('a file with zero bytes that is not UTF-16 is refused', () => {
  expect(() => make(clean.replace('Hello', 'He\0lo'))).toThrow('isn’t a text file')
})

const ass = '[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.50,'
test.each([
  ['unclosed override codes in ASS', ass + '{'.repeat(60_000)],
  ['unclosed drawings', ass + '{\\p1'.repeat(60_000)],
  ['drawings in one override code', `${ass}{${'\\p1'.repeat(60_000)}}word`],
  ['unclosed override codes in SubRip', srt('{\\'.repeat(60_000))],
  ['unclosed tags in SubRip', srt('<font '.repeat(60_000))],
])('%s are converted in time proportional to their length', (_, text) => {
  const began = performance.now()
  try {
    make(text)
  } catch (error) {
    expect(error).toBeInstanceOf(UnusableFile)
  }
  // Quadratic time would take half a minute or more.
  expect(performance.now() - began).toBeLessThan(5000)
})
