import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getPushAlerts, startPushAlerts } from '#contract/alerts.ts'
import { changeUser, endSessions, getUser, registerUser, signIn, signOut } from '#contract/members.ts'
import { membersJobs, signOutEverywhere } from '#server/features/members/members.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { PushBrowser } from '#server/testing/fakes/fake-push-service.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { subscribeToPush } from './push-subscriptions.ts'

const time = { now: new Date('2026-03-01T12:00:00Z') }
let site: TestSite
beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => time.now } })
})
afterAll(() => site.close())

async function subscribe(visitor: Visitor): Promise<string> {
  const { subscription } = new PushBrowser()
  await visitor.callOk(startPushAlerts, { body: subscription })
  return subscription.endpoint
}

const endpoints = async () => {
  const rows = await site.context.db.selectFrom('push_subscriptions').select('endpoint').execute()
  return rows.map(({ endpoint }) => endpoint)
}

/** Creates a member who has a session and notifications in each of two browsers. */
async function memberInTwo() {
  const member = await registerMember(site)
  const phone = site.visitor()
  await phone.callOk(getUser)
  await phone.callOk(signIn, { body: { email: member.email, password } })
  return {
    ...member,
    phone,
    ownEndpoint: await subscribe(member.visitor),
    phoneEndpoint: await subscribe(phone),
  }
}

describe('the notifications of a browser end', () => {
  it('when the member ends all other sessions', async () => {
    const { visitor, ownEndpoint, phoneEndpoint } = await memberInTwo()
    await visitor.callOk(endSessions)
    expect(await endpoints()).toContain(ownEndpoint)
    expect(await endpoints()).not.toContain(phoneEndpoint)
    expect((await visitor.callOk(getPushAlerts)).browsers).toHaveLength(1)
  })

  it('when the member signs out in that browser', async () => {
    const { phone, ownEndpoint, phoneEndpoint } = await memberInTwo()
    await phone.callOk(signOut)
    expect(await endpoints()).toContain(ownEndpoint)
    expect(await endpoints()).not.toContain(phoneEndpoint)
  })

  it('when the member changes the password in another browser', async () => {
    const { visitor, ownEndpoint, phoneEndpoint } = await memberInTwo()
    const body = { current_password: password, new_password: 'another quiet lighthouse' }
    await visitor.callOk(changeUser, { body })
    expect(await endpoints()).toContain(ownEndpoint)
    expect(await endpoints()).not.toContain(phoneEndpoint)
    expect((await visitor.callOk(getPushAlerts)).browsers).toHaveLength(1)
    await visitor.callOk(signOut)
    expect(await endpoints()).not.toContain(ownEndpoint)
  })

  it('when an operator signs the member out everywhere', async () => {
    const { user, ownEndpoint, phoneEndpoint } = await memberInTwo()
    await site.context.db.transaction().execute((tx) => signOutEverywhere(site.context, tx, user.id))
    for (const endpoint of [ownEndpoint, phoneEndpoint]) expect(await endpoints()).not.toContain(endpoint)
  })

  it('when the member has been away for 90 days', async () => {
    const { ownEndpoint, phoneEndpoint } = await memberInTwo()
    time.now = new Date(time.now.getTime() + 91 * 86_400_000)
    const purgeJob = membersJobs(site.context).find(({ name }) => name === 'purge-member-sessions')
    await purgeJob?.run(new AbortController().signal)
    for (const endpoint of [ownEndpoint, phoneEndpoint]) expect(await endpoints()).not.toContain(endpoint)
  })
})

describe('the push subscription of a browser', () => {
  it('is bound to the new session when its guest signs in', async () => {
    const { email } = await registerMember(site)
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const endpoint = await subscribe(visitor)
    await visitor.callOk(signIn, { body: { email, password } })
    expect(await endpoints()).toContain(endpoint)
    await visitor.callOk(signOut)
    expect(await endpoints()).not.toContain(endpoint)
  })

  it('is bound to the new session when its guest creates an account', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const endpoint = await subscribe(visitor)
    const email = `guest-${crypto.randomUUID()}@example.com`
    await visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })
    expect(await endpoints()).toContain(endpoint)
    await visitor.callOk(signOut)
    expect(await endpoints()).not.toContain(endpoint)
  })

  it('is bound to the new session when a member signs in again', async () => {
    const { visitor, email, ownEndpoint } = await memberInTwo()
    await visitor.callOk(signIn, { body: { email, password } })
    expect(await endpoints()).toContain(ownEndpoint)
    expect((await visitor.callOk(getPushAlerts)).browsers).toHaveLength(2)
  })
})

it('notifications cannot be turned on by an ended session', async () => {
  const { user } = await registerMember(site)
  const { subscription } = new PushBrowser()
  const ended = { userId: user.id, sessionId: 'ses_ended', ip: '192.0.2.1' }
  const starting = site.context.db
    .transaction()
    .execute((tx) => subscribeToPush(site.context, tx, ended, subscription))
  await expect(starting).rejects.toMatchObject({ reason: 'signInRequired' })
  expect(await endpoints()).not.toContain(subscription.endpoint)
})
