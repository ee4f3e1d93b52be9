import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { parseMail, type ParsedMail } from './parse-mail.ts'

export type Stage = 'connect' | 'sender' | 'recipient' | 'data'
/** Response to a stage: accepted (`taken`), refused with a code, or no response (`silence`). */
type Answer = number | 'taken' | 'silence'

/** An SMTP server over TCP whose failures a test can configure. */
export interface FakeSmtp {
  url: string
  port: number
  /** The accepted mails, in order. */
  received: ParsedMail[]
  /** How often each stage was reached. */
  stageCounts: Record<Stage, number>
  /** Chooses the response to a stage. `about` is the e-mail address that the stage is about. */
  answer(stage: Stage, about: string): Answer
  close(): Promise<void>
}

export async function startFakeSmtp(port = 0): Promise<FakeSmtp> {
  const sockets = new Set<Socket>()
  const smtp: FakeSmtp = {
    url: '',
    port,
    received: [],
    stageCounts: { connect: 0, sender: 0, recipient: 0, data: 0 },
    answer: () => 'taken',
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
  const at = (stage: Stage, about: string, done: (error?: Error) => void) => {
    smtp.stageCounts[stage]++
    const answer = smtp.answer(stage, about)
    if (answer === 'silence') return
    done(answer === 'taken' ? undefined : smtpError(answer, about))
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
          if (!error) smtp.received.push(parseMail(Buffer.concat(chunks).toString()))
          done(error)
        }),
      )
    },
  })
  // Ignores broken connections: tests disconnect or kill clients on purpose.
  server.on('error', () => {})
  const listening = server.listen(port, '127.0.0.1')
  listening.on('connection', (socket: Socket) => sockets.add(socket))
  await once(listening, 'listening')
  smtp.port = (listening.address() as AddressInfo).port
  smtp.url = `smtp://127.0.0.1:${smtp.port}`
  return smtp
}

/** Returns a refusal whose text contains the address, as with real servers. */
function smtpError(responseCode: number, about: string): Error {
  return Object.assign(new Error(`no thanks, <${about}>`), { responseCode })
}
