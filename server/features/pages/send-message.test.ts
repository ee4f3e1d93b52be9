import { afterEach, expect, it, test } from 'vitest'
import { sendMessage } from '#contract/pages.ts'
import { testSite, type TestSite } from '#server/testing/test-site.ts'

let site: TestSite
afterEach(() => site.close())

const inbox = 'desk@drama.example'
const open = async (settings = {}) => {
  site = await testSite({}, { CONTACT_EMAIL: inbox, ...settings })
}
const message = { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Where is\nepisode 7? <b>' }
const send = (body: object, language = 'en') =>
  site.visitor({ 'accept-language': language }).call(sendMessage, { body: { ...message, ...body } })

it('reaches the operator as a mail whose answer goes to whoever wrote it', async () => {
  await open()
  expect((await send({}, 'de')).answer).toEqual({ code: 200, info: { sent: true } })
  const [mail, ...others] = await site.mails(inbox)
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    subject: 'Eine Nachricht von deiner Website: Ada Lovelace',
    replyTo: 'Ada Lovelace <ada@example.com>',
    from: 'Cliffhanger <no-reply@localhost>',
  })
  expect(mail?.text).toContain('Where is\nepisode 7? <b>')
  expect(mail?.html).toContain('Where is\nepisode 7? &lt;b&gt;')
})

it('goes to the sender of our mails where no address was given for it', async () => {
  await open({ CONTACT_EMAIL: '', MAIL_FROM: 'Dramas <hello@drama.example>' })
  await send({})
  expect(await site.mails('hello@drama.example')).toHaveLength(1)
})

test('a name cannot write headers of its own', async () => {
  await open()
  await send({ name: 'Ada\r\nBcc: all@example.com' })
  const [mail] = await site.mails(inbox)
  expect(mail?.subject).toBe('A message from your site: Ada Bcc: all@example.com')
  expect(mail?.replyTo).toContain('<ada@example.com>')
  expect(await site.mails('all@example.com')).toEqual([])
})

test.each([
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(65) }],
  ['email', { email: 'ada' }],
  ['email', { email: 'ada@example.com, all@example.com' }],
  ['message', { message: ' \n ' }],
  ['message', { message: 'é'.repeat(5001) }],
])('names the field that is wrong: %s', async (field, wrong) => {
  await open()
  const { answer } = await send(wrong)
  expect(answer).toMatchObject({ code: 500, info: { field } })
  expect(await site.mails(inbox)).toEqual([])
})

test('a message of 5,000 characters is taken', async () => {
  await open()
  expect((await send({ message: 'é'.repeat(5000) })).answer.code).toBe(200)
})

test('an address of the network may send so many, and is told when it may again', async () => {
  await open({ LIMIT_CONTACT_IP: '2/h' })
  const answers = await Promise.all([send({}), send({}), send({})])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect(await site.mails(inbox)).toHaveLength(2)
})
