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

test('keeps a draft for its operator across a reload', () => {
  forgetOthersDraft('op_ann')
  expect(shown()).toEqual(homepage)
})

test('deletes a draft when its operator signs out', () => {
  forgetOthersDraft(undefined)
  expect(shown()).toBeUndefined()
})

test('deletes a draft when another operator signs in', () => {
  forgetOthersDraft('op_ben')
  expect(shown()).toBeUndefined()
  forgetOthersDraft('op_ann')
  expect(shown()).toBeUndefined()
})
