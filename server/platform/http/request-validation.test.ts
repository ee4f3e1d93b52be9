import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { LanguageCode, nullable } from '#contract/schemas.ts'
import { addPlan } from '#contract/studio/plans.ts'
import { PartialLocalizedText } from '#contract/studio/videos.ts'
import { compileSchema } from './request-validation.ts'

const checked = (schema: object, value: unknown) => {
  expect(compileSchema(schema)(value)).toBeUndefined()
  return value
}

test('accepts fr and de as languages', () => {
  const schema = Type.Object({
    one: LanguageCode,
    none: nullable(LanguageCode),
    all: Type.Array(LanguageCode),
  })
  expect(checked(schema, { one: 'fr', none: null, all: ['de', 'pt', 'fy'] })).toEqual({
    one: 'fy',
    none: null,
    all: ['dy', 'pt', 'fy'],
  })
  expect(compileSchema(schema)({ one: 'it', none: null, all: [] })).toBeDefined()
})

test('accepts fr and de as keys of texts', () => {
  const schema = Type.Object({ titles: PartialLocalizedText })
  expect(checked(schema, { titles: { en: 'Salt', fr: 'Sel', de: 'Salz' } })).toEqual({
    titles: { en: 'Salt', fy: 'Sel', dy: 'Salz' },
  })
})

test('validates a text with the key fr like any other text', () => {
  const { names } = addPlan.body.properties
  expect(compileSchema(names)({ en: 'Weekly', fr: 7 })).toContain('fy')
})
