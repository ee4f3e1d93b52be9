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

/** Texts that are the same in German as in English. Each was reviewed. */
const alike = new Set(
  'content.title content.video content.state content.crop.zoom content.crop.horizontal content.videoFile shell.studio shell.area.videos shell.area.team team.title team.details team.site experiments.name experiments.state experiments.video analytics.links analytics.linkVideo analytics.dimension.video analytics.click.meta analytics.click.tiktok homepage.kind homepage.source homepage.size.desktop homepage.original homepage.textTitle homepage.markdown payments.status payments.id customers.name customers.id plans.state plans.name plans.renewalStatus system.state system.jobState.ok settings.name.google_analytics topUps.bonus'.split(
    ' ',
  ),
)

/** Returns every text by its dotted key. */
function flatten(texts: Texts | undefined, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts ?? {}).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[path + key, value]] : [...flatten(value, `${path}${key}.`)],
    ),
  )
}

const textsOf = (language: string, part: string) => flatten(files[`./texts/${language}.${part}`])
const placeholders = (text: string) => [...new Set(text.match(/{{\w+}}/g))].toSorted()

it.each(parts)('%s has the same text keys and placeholders in German as in English', (part) => {
  const [english, german] = [textsOf('en', part), textsOf('dy', part)]
  expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  for (const [key, text] of german) {
    expect.soft(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''))
    if (!alike.has(key)) expect.soft(text, key).not.toBe(english.get(key))
  }
})

/**
 * Texts with a number that need no plural forms: no noun follows the number, or the number is never 1. Each was
 * reviewed.
 */
const countless = new Set(
  'content.failedCount content.showAllFiles content.skipUnmatchedCaptions content.import.showAllTitles content.import.titleCount content.discardAll content.discardTitle content.dismissAll shell.moved analytics.days'.split(
    ' ',
  ),
)

it.each(['en', 'dy'])('every text with a count has plural forms in %s', (language) => {
  for (const part of parts) {
    const texts = textsOf(language, part)
    for (const [key, text] of texts) {
      if (!/{{(count|days)}}/.test(text) || countless.has(key)) continue
      const [name] = key.split(/_(?=one$|other$)/)
      expect.soft([texts.has(`${name}_one`), texts.has(`${name}_other`)], key).toEqual([true, true])
    }
  }
})

it('ends the note of every empty list with a full stop', () => {
  const keys = [...code.matchAll(/empty=\{t\(([^)]+)\)\}/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/'([\w.]+)'/g)].map(([, key = '']) => key),
  )
  expect(keys).toContain('payments.noOrders')
  for (const language of ['en', 'dy']) {
    const texts = new Map(parts.flatMap((part) => [...textsOf(language, part)]))
    for (const key of keys) expect.soft(texts.get(key), key).toMatch(/[.]$/)
  }
})

it('has no unused text', () => {
  const beginnings = [...code.matchAll(/`([\w.]+)\.\$\{/g)].map(([, beginning]) => `${beginning}.`)
  const keys = parts.flatMap((part) => [...textsOf('en', part).keys()])
  const idle = keys
    .map((key) => key.replace(/_(one|other)$/, ''))
    .filter((key) => !code.includes(`'${key}'`) && !beginnings.some((beginning) => key.startsWith(beginning)))
  expect(idle).toEqual([])
})
