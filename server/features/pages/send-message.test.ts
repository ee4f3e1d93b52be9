import { afterAll, beforeAll, expect, it, onTestFinished, test } from 'vitest'
import { sendMessage } from '#contract/pages.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const inbox = 'desk@drama.example'
const open = (settings = {}) => startTestSite({}, { CONTACT_EMAIL: inbox, ...settings })

let site: TestSite
beforeAll(async () => {
  site = await open()
})
afterAll(() => site.close())

const message = { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Where is\nepisode 7? <b>' }
const send = (body: object, language = 'en', to = site) =>
  to.visitor({ 'accept-language': language }).call(sendMessage, { body: { ...message, ...body } })

/**
 * Sends a message.
 * @returns the response, and the mails that were sent
 */
async function sent(body: object, language?: string) {
  const before = (await site.mails(inbox)).length
  const { answer } = await send(body, language)
  return { answer, mails: (await site.mails(inbox)).slice(before) }
}

it('a message is mailed to the operator, with the sender in Reply-To', async () => {
  const { answer, mails } = await sent({}, 'de')
  expect(answer).toEqual({ code: 200, info: { sent: true } })
  const [mail, ...others] = mails
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    subject: 'Eine Nachricht von Ihrer Website: Ada Lovelace',
    replyTo: 'Ada Lovelace <ada@example.com>',
    from: 'Cliffhanger <no-reply@localhost>',
  })
  expect(mail?.text).toContain('Where is\nepisode 7? <b>')
  expect(mail?.html).toContain('Where is\nepisode 7? &lt;b&gt;')
})

it('a message is mailed to the sender address of the site’s mails if no contact address is set', async () => {
  const other = await open({ CONTACT_EMAIL: '', MAIL_FROM: 'Dramas <hello@drama.example>' })
  onTestFinished(() => other.close())
  await send({}, 'en', other)
  expect(await other.mails('hello@drama.example')).toHaveLength(1)
})

test('a name cannot add mail headers', async () => {
  const {
    mails: [mail],
  } = await sent({ name: 'Ada\r\nBcc: all@example.com' })
  expect(mail?.subject).toBe('A message from your site: Ada Bcc: all@example.com')
  expect(mail?.replyTo).toContain('<ada@example.com>')
  expect(await site.mails('all@example.com')).toEqual([])
})

test.each([
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(65) }],
  ['name', { name: 'x'.repeat(600) }],
  ['email', { email: 'ada' }],
  ['email', { email: 'ada@example.com, all@example.com' }],
  ['message', { message: ' \n ' }],
  ['email', { email: `${'a'.repeat(600)}@example.com` }],
  ['message', { message: 'é'.repeat(5001) }],
  ['message', { message: 'é'.repeat(25_000) }],
])(
  'a message is refused if a field is invalid, and the refusal names the field: %s',
  async (field, wrong) => {
    const { answer, mails } = await sent(wrong)
    expect(answer).toMatchObject({ code: 500, info: { field } })
    expect(mails).toEqual([])
  },
)

test('a message of 5,000 characters is accepted', async () => {
  expect((await send({ message: 'é'.repeat(5000) })).answer.code).toBe(200)
})

test('messages are limited by IP address, and a refusal states when the next message is allowed', async () => {
  const other = await open({ RATE_LIMIT_CONTACT_PER_IP: '2/h' })
  onTestFinished(() => other.close())
  const answers = await Promise.all([1, 2, 3].map(() => send({}, 'en', other)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect(await other.mails(inbox)).toHaveLength(2)
})
