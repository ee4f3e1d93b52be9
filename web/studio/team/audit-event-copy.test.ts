import { describe, expect, it } from 'vitest'
import { studioCalls } from '#contract/calls.ts'
import { isCommand } from '#contract/studio/command.ts'
import { actingCommands, studioEvents, viewerEvents, writtenCommands } from '#contract/studio/audit-events.ts'
import english from '#web/studio/texts/en.audit.json'
import german from '#web/studio/texts/dy.audit.json'
import { beforeFirst, auditEventText, whoElse } from './audit-event-copy.ts'

const say = (key: string) => key

describe.each([
  ['English', english],
  ['German', german],
])('in %s', (_language, { auditEvent }) => {
  it('everything that the audit trail may hold has its words, and nothing else has', () => {
    const events = [...viewerEvents, ...studioEvents, ...writtenCommands.map((words) => `studio ${words}`)]
    expect(Object.keys(auditEvent.done).toSorted()).toEqual(events.toSorted())
    expect(Object.keys(auditEvent.asked).toSorted()).toEqual(actingCommands.toSorted())
  })

  it('no two things are said alike', () => {
    const said = [...Object.values(auditEvent.done), ...Object.values(auditEvent.asked)]
    expect(said.filter((words, index) => said.indexOf(words) !== index)).toEqual([])
    expect(said.filter((words) => words.trim() === '')).toEqual([])
  })
})

it('what is written down is done by a command that there is, or by a picture that is sent', () => {
  const pictures = ['icon change', 'video cover']
  const commands = new Set([...studioCalls.filter(isCommand).map((each) => each.command), ...pictures])
  expect(writtenCommands.filter((words) => !commands.has(words))).toEqual([])
})

it('what was asked for is not said to be done, and what nobody knows any more is called by its words', () => {
  const asked = { before: { asked: { id: 'ord_1' } } }
  expect(auditEventText({ event: 'studio order refund', details: asked }, say)).toBe(
    'auditEvent.asked.order refund',
  )
  expect(auditEventText({ event: 'studio order refund', details: {} }, say)).toBe(
    'auditEvent.done.studio order refund',
  )
  expect(auditEventText({ event: 'signed_in', details: {} }, say)).toBe('auditEvent.done.signed_in')
  expect(auditEventText({ event: 'studio cover turn', details: asked }, say)).toBe('cover turn')
  expect(english.auditEvent.done['studio video publish']).toBe('Published a video')
})

it('what no operator did is the command line’s or the site’s own, and of a person’s own deed nobody else is named', () => {
  expect(whoElse('studio order refund', say)).toBe('team.commandLine')
  expect(whoElse('order_paid', say)).toBe('team.site')
  expect(whoElse('password_changed', say)).toBe('–')
})

it('what was before is read before what came of it', () => {
  expect(Object.keys(beforeFirst({ after: {}, before: {}, reason: '' }))).toEqual([
    'before',
    'after',
    'reason',
  ])
})
