import { beforeEach, expect, test } from 'vitest'
import { readRecord } from '#web/lib/storage.ts'
import { forgetOthersDraft, storeDraft } from './stored-draft.ts'

const homepage = {
  copyright: { text: 'secret until tomorrow', icon: '' },
  menu: [],
  homepage: [],
  feed: null,
  pay_theme: { id: 'usual', layout: 'sheet', accent: '#ff8a4c' },
}
const shown = () => readRecord('homepage-draft')

beforeEach(() => storeDraft('op_ann', homepage))

test('a draft is there for whoever composes it, also after the page was loaded again', () => {
  forgetOthersDraft('op_ann')
  expect(shown()).toEqual(homepage)
})

test('a draft is gone once its operator signs out', () => {
  forgetOthersDraft(undefined)
  expect(shown()).toBeUndefined()
})

test('a draft is never another operator’s', () => {
  forgetOthersDraft('op_ben')
  expect(shown()).toBeUndefined()
  forgetOthersDraft('op_ann')
  expect(shown()).toBeUndefined()
})
