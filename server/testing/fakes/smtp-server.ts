import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { readMail, type ReadMail } from './read-mail.ts'

export type Stage = 'connect' | 'sender' | 'recipient' | 'data'
/** What a stage answers: it is taken, refused with a code, or there never is an answer. */
type Answer = number | 'taken' | 'silence'

/** An SMTP server over TCP that a test can make misbehave. */
export interface TestSmtp {
  url: string
  port: number
  /** What was taken, in order. */
  taken: ReadMail[]
  /** How often each stage was reached. */
  reached: Record<Stage, number>
  /** Decides what a stage answers; `about` is the address in question. */
  answer(stage: Stage, about: string): Answer
  close(): Promise<void>
}

export async function testSmtp(port = 0): Promise<TestSmtp> {
  const sockets = new Set<Socket>()
  const smtp: TestSmtp = {
    url: '',
    port,
    taken: [],
    reached: { connect: 0, sender: 0, recipient: 0, data: 0 },
    answer: () => 'taken',
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
  const at = (stage: Stage, about: string, done: (error?: Error) => void) => {
    smtp.reached[stage]++
    const answer = smtp.answer(stage, about)
    if (answer === 'silence') return
    done(answer === 'taken' ? undefined : refusal(answer, about))
  }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 10,
    onConnect: (_session, done) => at('connect', '', done),
    onMailFrom: ({ address }, _session, done) => at('sender', address, done),
    onRcptTo: ({ address }, _session, done) => at('recipient', address, done),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () =>
        at('data', session.envelope.rcptTo[0]?.address ?? '', (error) => {
          if (!error) smtp.taken.push(readMail(Buffer.concat(chunks).toString()))
          done(error)
        }),
      )
    },
  })
  // A client that dies or gives up breaks its connection: that is what is tested.
  server.on('error', () => {})
  const listening = server.listen(port, '127.0.0.1')
  listening.on('connection', (socket: Socket) => sockets.add(socket))
  await once(listening, 'listening')
  smtp.port = (listening.address() as AddressInfo).port
  smtp.url = `smtp://127.0.0.1:${smtp.port}`
  return smtp
}

/** As real servers word it: with the address. */
function refusal(responseCode: number, about: string): Error {
  return Object.assign(new Error(`no thanks, <${about}>`), { responseCode })
}
