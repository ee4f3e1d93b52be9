import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  checkHealth,
  getBackupCommands,
  listFailedUploads,
  listAbandonedMails,
  listJobs,
  retryMail,
  runJob,
  showHealth,
  type ComponentHealth,
} from '#contract/studio/system.ts'
import { retryEpisode } from '#contract/studio/videos.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { reasonColumns, UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'
import { createLog } from '#server/platform/log.ts'
import { MailError, smtpMailer } from '#server/platform/mail/mailer.ts'
import { startJobs, type Job, type Jobs } from '#server/platform/jobs/jobs.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { sendMails } from '#server/platform/mail/send-mails.ts'
import { runHealthChecks, type HealthCheckContext } from './health-checks.ts'

const log = createLog({ json: true, level: 'silent' })
let site: TestSite
let owner: TestOperator
let jobs: Jobs | undefined

beforeAll(async () => {
  site = await startTestSite()
  owner = await signInOperator(site, 'owner')
})
afterEach(async () => {
  await jobs?.stop()
  jobs = undefined
})
afterAll(() => site.close())

const work = async (...definitions: Job[]) =>
  (jobs = await startJobs(site.context.database.sessions, definitions, log, { pollSeconds: 0.5 }))
const hourly = { everySeconds: 3600 }
const componentOf = (list: readonly ComponentHealth[], name: string) =>
  list.find(({ component }) => component === name)

/** Returns the time at which the first job's success was recorded, if any. */
const isWritten = async () => (await owner.studio.callOk(listJobs)).list[0]?.succeeded_at

/** Checks a component of a site with a changed context. */
async function find(name: string, otherwise: Partial<HealthCheckContext>) {
  const findings = await runHealthChecks({ ...site.context, ...otherwise })
  return findings.find(({ component }) => component === name)
}

describe('the health of the site', () => {
  it('is ok for every component of a site without faults', async () => {
    await work({ name: 'well', ...hourly, run: async () => {} })
    await expect.poll(isWritten).toBeTruthy()
    const { list } = await owner.studio.callOk(checkHealth, { body: {} })
    expect(list.map(({ component, problem }) => [component, problem])).toEqual([
      ['database', null],
      ['gateway sandbox', null],
      ['jobs', null],
      ['mail', null],
      ['storage', null],
    ])
    expect((await owner.studio.callOk(showHealth)).list).toEqual(list)
  })

  it('includes each fault with its start, as long as the fault lasts', async () => {
    const unreachable: HealthCheckContext['mailer'] = smtpMailer('smtp://127.0.0.1:1', () => 'a@example.com')
    await runHealthChecks({ ...site.context, mailer: unreachable })
    const first = componentOf((await owner.studio.callOk(showHealth)).list, 'mail')
    expect(first).toMatchObject({ problem: 'refused', detail: expect.stringContaining('ESOCKET') })
    await runHealthChecks({ ...site.context, mailer: unreachable })
    const second = componentOf((await owner.studio.callOk(showHealth)).list, 'mail')
    expect(second?.since).toBe(first?.since)
    expect(second?.checked_at).not.toBe(first?.checked_at)
    await runHealthChecks(site.context)
    const third = componentOf((await owner.studio.callOk(showHealth)).list, 'mail')
    expect(third?.problem).toBeNull()
    expect(third?.since).not.toBe(first?.since)
  })

  it('includes error messages only for owners, and only the names and codes of a gateway’s errors', async () => {
    const [sandbox] = site.context.gateways
    if (!sandbox) throw new Error('there is no gateway')
    const error = Object.assign(new Error('no payment of eve@example.com'), {
      code: 'resource_missing',
      status: 404,
    })
    const broken = { ...sandbox, id: sandbox.id, retrievePayment: () => Promise.reject(error) }
    await runHealthChecks({ ...site.context, gateways: [broken] })
    const ofOwner = componentOf((await owner.studio.callOk(showHealth)).list, 'gateway sandbox')
    expect(ofOwner).toMatchObject({ problem: 'refused', detail: expect.stringContaining('resource_missing') })
    expect(ofOwner?.detail).not.toContain('eve@')
    const { studio } = await signInOperator(site, 'analyst')
    expect(componentOf((await studio.callOk(showHealth)).list, 'gateway sandbox')).toMatchObject({
      problem: 'refused',
      detail: null,
    })
    await runHealthChecks(site.context)
  })

  it('is reported even if a component does not respond in time', async () => {
    const [sandbox] = site.context.gateways
    if (!sandbox) throw new Error('no gateway')
    const silent = { ...sandbox, retrievePayment: () => new Promise<never>(() => {}) }
    const otherwise = { gateways: [silent], healthTimeoutMs: 500 }
    expect(await find('gateway sandbox', otherwise)).toMatchObject({ problem: 'notResponding' })
  })

  it('includes a storage that refuses writes', async () => {
    const root = mkdtempSync(join(tmpdir(), 'cliffhanger-health-'))
    const storage = openDisk(root)
    rmSync(root, { recursive: true })
    const broken = { ...storage, write: () => Promise.reject(new Error('EROFS: read-only file system')) }
    expect(await find('storage', { storage: broken })).toMatchObject({
      problem: 'refused',
      detail: 'EROFS: read-only file system',
    })
  })

  it('includes the free space, and that events are not recorded if the space is too low', async () => {
    expect(await find('storage', {})).toMatchObject({
      problem: null,
      detail: expect.stringMatching(/^[\d.]+ GB left/),
    })
    const resourceLimits = { ...site.context.resourceLimits, minFreeBytes: Number.MAX_SAFE_INTEGER }
    expect(await find('storage', { resourceLimits })).toMatchObject({
      problem: 'diskFull',
      detail: expect.stringContaining('analytics events are not recorded'),
    })
  })

  it('includes mails that were refused or are overdue, each of them once', async () => {
    const { db } = site.context
    const mail = { recipient: 'a@example.com', template: 'reset', language: 'en', fields: '{}' }
    const created_at = new Date(Date.now() - 600_000)
    await db
      .insertInto('mails')
      .values([
        { ...mail, id: 'mail_new' },
        { ...mail, id: 'mail_refused', attempts: 2 },
        { ...mail, id: 'mail_overdue', created_at },
        { ...mail, id: 'mail_both', attempts: 3, created_at },
      ])
      .execute()
    expect(await find('mail', {})).toEqual({ component: 'mail', problem: 'mailsDelayed', detail: '3' })
    await db.deleteFrom('mails').execute()
  })

  it('includes that no worker has run a job for minutes', async () => {
    const { pool } = site.context.database
    await work({ name: 'away', ...hourly, run: async () => {} })
    await expect.poll(isWritten).toBeTruthy()
    await jobs?.stop()
    await pool.query("UPDATE scheduled_jobs SET succeeded_at = now() - interval '10 minutes'")
    expect(componentOf((await owner.studio.callOk(showHealth)).list, 'jobs')).toMatchObject({
      problem: 'workerOffline',
    })
  })
})

describe('a job', () => {
  it('that fails is listed first, with its reason and start, and runs again on an operator’s request', async () => {
    let broken = true
    let runs = 0
    const failing = {
      name: 'failing',
      ...hourly,
      run: async () => {
        runs++
        if (broken) throw new Error('the gateway is closed for lunch')
      },
    }
    await work({ name: 'a-good-one', ...hourly, run: async () => {} }, failing)
    const first = async () => (await owner.studio.callOk(listJobs)).list[0]
    await expect.poll(async () => (await first())?.state).toBe('failing')
    expect(await first()).toMatchObject({
      name: 'failing',
      last_error: 'the gateway is closed for lunch',
      failures: 1,
      failing_since: expect.any(String),
    })
    expect(await find('jobs', {})).toEqual({ component: 'jobs', problem: 'jobsFailing', detail: 'failing' })
    broken = false
    await owner.studio.callOk(runJob, { body: { name: 'failing' } })
    await expect.poll(() => runs).toBe(2)
    const state = async () =>
      (await owner.studio.callOk(listJobs)).list.find(({ name }) => name === 'failing')?.state
    await expect.poll(state).toBe('ok')
    const succeeded = async () =>
      (await owner.studio.callOk(listJobs)).list.find(({ name }) => name === 'failing')?.succeeded_at ?? ''
    const before = await succeeded()
    // The job succeeded shortly before. Another success is recorded only if an operator requested the run.
    await owner.studio.callOk(runJob, { body: { name: 'failing' } })
    await expect.poll(async () => (await succeeded()) > before).toBe(true)
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents)).list
    expect(auditEvent).toMatchObject({ event: 'studio job run', subject: 'job failing' })
  })

  it('that does not exist cannot be requested', async () => {
    expect((await owner.studio.call(runJob, { body: { name: 'tea' } })).answer.code).toBe(404)
  })
})

describe('files that failed conversion', () => {
  const fail = async (title: string, at: string, columns: object = { reason: 'is damaged' }) => {
    const { db } = site.context
    const video = await buildVideo(site.context, { title, episodes: 1, ready: 0 })
    const id = `ast_${title}`
    const rest = { source_hash: 'x', original_path: `originals/${id}.mp4`, failures: 5 }
    await db
      .insertInto('assets')
      .values({
        id,
        state: 'failed',
        source_name: `${title}/01.mp4`,
        failed_at: at,
        reason: null,
        ...columns,
        ...rest,
      })
      .execute()
    await db.updateTable('episodes').set({ next_asset_id: id }).where('video_id', '=', video.id).execute()
    return id
  }

  it('have reasons in the operator’s language, or the stored text if the reason has no key', async () => {
    await fail('before', '2025-01-01T10:00:00Z')
    await fail('now', '2025-01-02T10:00:00Z', reasonColumns(new UnusableFile({ key: 'noIndex' })))
    const reasonsIn = async (accept: string) => {
      const { list } = await owner.studio.callOk(listFailedUploads, {
        headers: { 'accept-language': accept },
      })
      return list.map(({ reason }) => reason)
    }
    expect(await reasonsIn('en')).toEqual(['is cut off or damaged: its index is missing', 'is damaged'])
    expect(await reasonsIn('de')).toEqual([
      'ist abgeschnitten oder beschädigt: Der Index fehlt',
      'is damaged',
    ])
    expect(await runStudioCommand(site.context, ['upload', 'list-failed'])).toContain('its index is missing')
    await site.context.db.deleteFrom('episodes').execute()
  })

  it('are listed with reason and episode, latest first, in pages, and can be requeued', async () => {
    const older = await fail('older', '2026-01-01T10:00:00Z')
    const damaged = new UnusableFile({ key: 'damaged' })
    const newer = await fail('newer', '2026-01-02T10:00:00Z', reasonColumns(damaged))
    const { list, next_cursor } = await owner.studio.callOk(listFailedUploads, { query: { limit: 1 } })
    expect(list).toEqual([
      expect.objectContaining({
        id: newer,
        source_name: 'newer/01.mp4',
        reason: damaged.message,
        episode: expect.objectContaining({ number: 1, video_title: 'newer' }),
      }),
    ])
    const rest = await owner.studio.callOk(listFailedUploads, { query: { cursor: next_cursor ?? '' } })
    expect(rest.list.map(({ id }) => id)).toEqual([older])
    const retry = { body: { id: list[0]?.episode.id ?? '' } }
    await owner.studio.callOk(retryEpisode, retry)
    expect(
      await site.context.db.selectFrom('assets').selectAll().where('id', '=', newer).executeTakeFirst(),
    ).toMatchObject({
      state: 'uploaded',
      failures: 0,
      reason: null,
      reason_details: null,
    })
    expect((await owner.studio.callOk(listFailedUploads)).list.map(({ id }) => id)).toEqual([older])
    expect((await owner.studio.call(retryEpisode, retry)).answer.code).toBe(409)
  })
})

describe('the commands that back up and restore the site', () => {
  it('are shown only to operators', async () => {
    expect(await owner.studio.callOk(getBackupCommands)).toEqual({
      backup: 'npm run backup -- /path/to/a/folder',
      restore: 'npm run restore -- /path/to/a/folder',
    })
    expect((await site.visitor().call(getBackupCommands)).answer.code).toBe(401)
  })
})

describe('abandoned mails', () => {
  afterEach(async () => {
    await site.context.db.deleteFrom('abandoned_mails').execute()
  })
  /** Abandons a new member's mail, which the mail server refuses. */
  async function abandonMail() {
    const { email } = await createMember(site)
    const send = () => Promise.reject(new MailError('EENVELOPE RCPT TO 550', true))
    await sendMails({ ...site.context, mailer: { ...site.context.mailer, send } })
    return email
  }

  it('are listed without their content, and are sent again on request of an operator, with an audit entry', async () => {
    const email = await abandonMail()
    const { list } = await owner.studio.callOk(listAbandonedMails)
    const [mail] = list
    expect(mail).toMatchObject({
      recipient: email,
      subject: 'Confirm your e-mail address',
      refused: true,
      reason: 'MailError: EENVELOPE RCPT TO 550',
      attempts: 1,
    })
    expect(JSON.stringify(list)).not.toMatch(/verify=|http/)
    const body = { id: mail?.id ?? '' }
    await owner.studio.callOk(retryMail, { body })
    expect((await site.mails(email)).map(({ subject }) => subject)).toEqual(['Confirm your e-mail address'])
    expect((await owner.studio.callOk(listAbandonedMails)).list).toEqual([])
    expect((await owner.studio.call(retryMail, { body })).answer.code).toBe(404)
    const { list: auditLog } = await owner.studio.callOk(listAuditEvents, {
      query: { subject: `mail ${body.id}` },
    })
    expect(auditLog).toMatchObject([
      { event: 'studio mail retry', operator: owner.email, details: { after: { template: 'verifyEmail' } } },
    ])
    expect(JSON.stringify(auditLog)).not.toContain(email)
  })

  it('are listed in pages, latest first, and only owners see the error message', async () => {
    const [first, second] = [await abandonMail(), await abandonMail()]
    const { studio } = await signInOperator(site, 'support')
    const page = await studio.callOk(listAbandonedMails, { query: { limit: 1 } })
    expect(page.list).toEqual([expect.objectContaining({ recipient: second, reason: null })])
    const rest = await studio.callOk(listAbandonedMails, { query: { cursor: page.next_cursor ?? '' } })
    expect(rest.list.map(({ recipient }) => recipient)).toEqual([first])
  })
})
