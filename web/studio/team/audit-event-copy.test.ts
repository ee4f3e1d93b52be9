import { describe, expect, it } from 'vitest'
import { studioEndpoints } from '#contract/all-endpoints.ts'
import { isCommand } from '#contract/studio/command.ts'
import {
  multiTransactionCommands,
  studioEvents,
  viewerEvents,
  auditedCommands,
} from '#contract/studio/audit-events.ts'
import english from '#web/studio/texts/en.audit.json'
import german from '#web/studio/texts/dy.audit.json'
import { orderBeforeAfter, auditEventText, actorText } from './audit-event-copy.ts'

const say = (key: string) => key

describe.each([
  ['English', english],
  ['German', german],
])('in %s', (_language, { auditEvent }) => {
  it('has a text for every audit event and no others', () => {
    const events = [...viewerEvents, ...studioEvents, ...auditedCommands.map((words) => `studio ${words}`)]
    expect(Object.keys(auditEvent.done).toSorted()).toEqual(events.toSorted())
    expect(Object.keys(auditEvent.requested).toSorted()).toEqual(multiTransactionCommands.toSorted())
  })

  it('has no two equal texts', () => {
    const texts = [...Object.values(auditEvent.done), ...Object.values(auditEvent.requested)]
    expect(texts.filter((words, index) => texts.indexOf(words) !== index)).toEqual([])
    expect(texts.filter((words) => words.trim() === '')).toEqual([])
  })
})

it('audits only commands and image uploads that exist', () => {
  const pictures = ['icon change', 'video set-cover']
  const commands = new Set([...studioEndpoints.filter(isCommand).map((each) => each.command), ...pictures])
  expect(auditedCommands.filter((words) => !commands.has(words))).toEqual([])
})

it('has different texts for a requested and a completed action, and shows an unknown command by its name', () => {
  const details = { before: { asked: { id: 'ord_1' } } }
  expect(auditEventText({ event: 'studio order refund', details }, say)).toBe(
    'auditEvent.requested.order refund',
  )
  expect(auditEventText({ event: 'studio order refund', details: {} }, say)).toBe(
    'auditEvent.done.studio order refund',
  )
  expect(auditEventText({ event: 'signed_in', details: {} }, say)).toBe('auditEvent.done.signed_in')
  expect(auditEventText({ event: 'studio cover turn', details }, say)).toBe('cover turn')
  expect(english.auditEvent.done['studio video publish']).toBe('Published a video')
})

it('names the command line or the site if no operator acted, and "–" if the user acted', () => {
  expect(actorText('studio order refund', say)).toBe('team.commandLine')
  expect(actorText('order_paid', say)).toBe('team.site')
  expect(actorText('password_changed', say)).toBe('–')
})

it('lists the values before the change first', () => {
  expect(Object.keys(orderBeforeAfter({ after: {}, before: {}, reason: '' }))).toEqual([
    'before',
    'after',
    'reason',
  ])
})
