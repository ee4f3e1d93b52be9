import { expect, test } from 'vitest'
import * as catalog from '#contract/catalog.ts'
import * as languages from '#contract/languages.ts'
import { reduceContract } from './vite-contract.ts'

test('an endpoint keeps its method and path, constants stay, schemas go', () => {
  const reduced = reduceContract('catalog.ts', catalog)
  expect(reduced).toContain('export const getVideo = {"method":"GET","path":"/api/video"}\n')
  expect(reduced).toContain('export const listLimits = {"usual":20,"most":50}\n')
  expect(reduced).not.toContain('VideoCard')
  expect(reduced).not.toContain('properties')
})

test('a module without endpoints is taken as it is', () => {
  expect(reduceContract('languages.ts', languages)).toBeNull()
})

test('a function beside endpoints fails the build, by name', () => {
  expect(() => reduceContract('catalog.ts', { ...catalog, priceOf: () => 1 })).toThrow(
    /catalog\.ts .*priceOf/,
  )
})
