import { beforeEach, expect, test } from 'vitest'
import { readRecord } from '#web/lib/storage.ts'
import { clearDraftOfOtherOperator, storeDraft } from './stored-draft.ts'

const homepage = {
  copyright: { text: 'secret until tomorrow', icon: '' },
  menu: [],
  homepage: [],
  feed: null,
  pay_theme: { id: 'usual', layout: 'sheet', accent: '#ff8a4c' },
}
const shown = () => readRecord('homepage-draft')

beforeEach(() => storeDraft('op_ann', homepage))

test('keeps a draft for its operator across a reload', () => {
  clearDraftOfOtherOperator('op_ann')
  expect(shown()).toEqual(homepage)
})

test('deletes a draft when its operator signs out', () => {
  clearDraftOfOtherOperator(undefined)
  expect(shown()).toBeUndefined()
})

test('deletes a draft when another operator signs in', () => {
  clearDraftOfOtherOperator('op_ben')
  expect(shown()).toBeUndefined()
  clearDraftOfOtherOperator('op_ann')
  expect(shown()).toBeUndefined()
})
