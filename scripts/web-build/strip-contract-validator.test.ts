import { expect, test } from 'vitest'
import * as catalog from '#contract/catalog.ts'
import * as languages from '#contract/languages.ts'
import { stripSchemas } from './strip-contract-validator.ts'

test('keeps the method and path of endpoints, and constants, and removes schemas', () => {
  const reduced = stripSchemas('catalog.ts', catalog)
  expect(reduced).toContain('export const getVideo = {"method":"GET","path":"/api/video"}\n')
  expect(reduced).toContain('export const listLimits = {"default":20,"max":50}\n')
  expect(reduced).not.toContain('VideoCard')
  expect(reduced).not.toContain('properties')
})

test('does not change a module without endpoints', () => {
  expect(stripSchemas('languages.ts', languages)).toBeNull()
})

test('fails the build for a function in a module with endpoints, and names it', () => {
  expect(() => stripSchemas('catalog.ts', { ...catalog, priceOf: () => 1 })).toThrow(/catalog\.ts .*priceOf/)
})
