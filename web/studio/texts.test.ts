import { expect, it } from 'vitest'

type Texts = { [key: string]: string | Texts }

const files = import.meta.glob<Texts>('./texts/*.json', { import: 'default', eager: true })
const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const code = Object.values(sources).join('\n')
const parts = Object.keys(files)
  .filter((file) => file.startsWith('./texts/en.'))
  .map((file) => file.slice('./texts/en.'.length))

/** Words that are spelt alike in German; each was looked at. */
const alike = new Set(
  'content.title content.video content.film desk.studio desk.area.content desk.area.team team.title growth.linkTo growth.links growth.byKind.video growth.click.meta growth.click.tiktok homepage.source homepage.textName homepage.asItCame homepage.textTitle homepage.markdown money.id people.person people.name plans.name experiments.name experiments.video settings.name.google_analytics'.split(
    ' ',
  ),
)

/** Every text by its dotted key. */
function flatten(texts: Texts | undefined, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts ?? {}).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[path + key, value]] : [...flatten(value, `${path}${key}.`)],
    ),
  )
}

const textsOf = (language: string, part: string) => flatten(files[`./texts/${language}.${part}`])
const placeholders = (text: string) => [...new Set(text.match(/{{\w+}}/g))].toSorted()

it.each(parts)('German has every text of %s and no other, with the same values in it', (part) => {
  const [english, german] = [textsOf('en', part), textsOf('dy', part)]
  expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  for (const [key, text] of german) {
    expect.soft(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''))
    if (!alike.has(key)) expect.soft(text, key).not.toBe(english.get(key))
  }
})

it('has no text that nothing asks for', () => {
  const beginnings = [...code.matchAll(/`([\w.]+)\.\$\{/g)].map(([, beginning]) => `${beginning}.`)
  const keys = parts.flatMap((part) => [...textsOf('en', part).keys()])
  const idle = keys
    .map((key) => key.replace(/_(one|other)$/, ''))
    .filter((key) => !code.includes(`'${key}'`) && !beginnings.some((beginning) => key.startsWith(beginning)))
  expect(idle).toEqual([])
})
