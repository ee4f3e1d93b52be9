import { expect, test } from 'vitest'
import { DescriptionError, parseVideoYaml } from './parse-video-yaml.ts'

const whole = `title: { en: Salt, fy: Sel }
synopsis: { en: Two sisters. }
category: drama
tags: [sea, sisters]
free_episodes: 3
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

test('a complete description is parsed', () => {
  expect(parseVideoYaml(`${whole}badge: hot\nfeatured: true\nepisodes: [{ title: { en: Tide } }]\n`)).toEqual(
    {
      titles: { en: 'Salt', fy: 'Sel' },
      synopses: { en: 'Two sisters.' },
      category: 'drama',
      tags: ['sea', 'sisters'],
      freeEpisodes: 3,
      price: { currency: 'USD', episodeCents: 99, videoCents: 999 },
      badge: 'hot',
      featured: true,
      episodeTitles: [{ en: 'Tide' }],
    },
  )
})

test('the ISO codes of French and German are accepted too', () => {
  const text = `${whole.replace('fy: Sel', 'fr: Sel, de: Salz')}episodes: [{ title: { de: Flut } }]\n`
  expect(parseVideoYaml(text)).toMatchObject({
    titles: { en: 'Salt', fy: 'Sel', dy: 'Salz' },
    episodeTitles: [{ dy: 'Flut' }],
  })
})

test.each([
  ['title: [', 'line 1 is not YAML'],
  ['', 'the file must hold keys'],
  [whole.replace('en: Salt, ', ''), 'title.en must be given'],
  [whole.replace('fy: Sel', 'it: Sale'), 'title.it is not a language of this site'],
  [whole.replace('fy: Sel', 'fr: Sel, fy: Sel'), 'title.fy is a second text for one language'],
  [whole.replace('fy: Sel', 'pt-BR: Sal'), 'title.pt-BR is not a language of this site'],
  [
    whole.replace('free_episodes: 3', 'free_episodes: -1'),
    'free_episodes must be a whole number from 0 to 10000; it is -1',
  ],
  [
    whole.replace('free_episodes: 3\n', ''),
    'free_episodes must be a whole number from 0 to 10000; it is missing',
  ],
  [whole.replace('video_cents: 999', 'video_cents: 9.99'), 'price.video_cents must be a whole number'],
  [whole.replace('USD', 'dollars'), 'price.currency must be three capital letters'],
  [whole.replace('[sea, sisters]', 'sea'), 'tags must be a list'],
  [whole.replace('sisters]', 'Two Sisters]'), 'tags[1] must be a short name'],
  [`${whole}badge: best\n`, 'badge must be new or hot'],
  [`${whole}colour: red\n`, 'colour is not a known key'],
  ['title: &a [*a]', 'title must hold a text for each language'],
])('the video.yaml %j is refused: %s', (text, reason) => {
  expect(() => parseVideoYaml(text)).toThrow(reason)
})

test('excessive nesting is refused with a readable reason', () => {
  expect(() => parseVideoYaml(`title: ${'['.repeat(40_000)}`)).toThrow(DescriptionError)
})
