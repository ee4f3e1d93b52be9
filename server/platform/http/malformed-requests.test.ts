import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { changeUser, getUser } from '#contract/members.ts'
import { faults } from '#contract/errors.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

/** Sends bytes that no HTTP client would send, and returns the response. */
function sendRaw(...lines: string[]): Promise<string> {
  const { port } = new URL(site.directUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(lines.join('\r\n')))
    let response = ''
    socket.setEncoding('utf8').on('data', (text) => (response += String(text)))
    socket.on('close', () => resolve(response)).on('error', reject)
  })
}

function read(answer: string): { status: number; envelope: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), envelope: JSON.parse(body) }
}

const host = 'Host: localhost'
const errorWith = (code: number) => ({ code, message: expect.stringMatching(/\w{2,}.*\./), info: {} })

describe('bytes that are not a request', () => {
  it.each([
    ['an unknown method', ['FROB /api/user HTTP/1.1', host, '', ''], 400],
    ['a method that is for proxies', ['CONNECT example.com:443 HTTP/1.1', host, '', ''], 400],
    ['no host', ['GET /api/user HTTP/1.1', 'Connection: close', '', ''], 400],
    ['two hosts', ['GET /api/user HTTP/1.1', host, 'Host: other', 'Connection: close', '', ''], 400],
    ['the same host twice', ['GET /api/user HTTP/1.1', host, host, 'Connection: close', '', ''], 400],
    [
      'two origins',
      ['GET /api/user HTTP/1.1', host, 'Origin: a', 'Origin: a', 'Connection: close', '', ''],
      400,
    ],
    [
      'two content types',
      [
        'POST /api/user HTTP/1.1',
        host,
        'Content-Type: application/json',
        'Content-Type: text/plain',
        'Content-Length: 2',
        'Connection: close',
        '',
        '{}',
      ],
      400,
    ],
    ['NUL in a header', ['GET /api/user HTTP/1.1', host, 'x-user-token: a\0b', '', ''], 400],
    ['a header without a name', ['GET /api/user HTTP/1.1', host, ': b', '', ''], 400],
    [
      'two different lengths',
      ['POST /api/user HTTP/1.1', host, 'Content-Length: 5', 'Content-Length: 6', '', '{}'],
      400,
    ],
    ['a length that is not a number', ['POST /api/user HTTP/1.1', host, 'Content-Length: many', '', ''], 400],
    [
      'an invalid chunk size',
      ['POST /api/user HTTP/1.1', host, 'Transfer-Encoding: chunked', '', 'zz', ''],
      400,
    ],
    ['huge headers', ['GET /api/user HTTP/1.1', host, `x-fbclid: ${'x'.repeat(20_000)}`, '', ''], 431],
    ['a huge address', [`GET /api/user?a=${'x'.repeat(20_000)} HTTP/1.1`, host, '', ''], 431],
  ])('%s: a 4xx with a message in the envelope', async (_name, lines, status) => {
    expect(read(await sendRaw(...lines))).toEqual({ status, envelope: errorWith(status) })
  })
})

it('ignores an unknown Expect header', async () => {
  const answer = await sendRaw(
    'GET /api/user HTTP/1.1',
    host,
    'Expect: the-best',
    'Connection: close',
    '',
    '',
  )
  expect(read(answer)).toMatchObject({ status: 200, envelope: { code: 200 } })
})

describe('a client that uses the site as a proxy', () => {
  const open = () => {
    const port = Number(new URL(site.directUrl).port)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(['CONNECT example.com:443 HTTP/1.1', host, '', ''].join('\r\n'))
    return socket
  }

  it('cannot crash the server by disconnecting', async () => {
    await new Promise((resolve) => {
      const socket = open().on('close', resolve)
      socket.on('data', () => socket.resetAndDestroy())
    })
    const answer = await sendRaw('GET /api/health HTTP/1.1', host, 'Connection: close', '', '')
    expect(read(answer)).toMatchObject({ status: 200 })
  })

  it('is disconnected even if it does not close the connection', async () => {
    const socket = open()
      .resume()
      .on('error', () => undefined)
    await vi.waitFor(() => {
      socket.write('x')
      expect(socket.destroyed).toBe(true)
    }, 60_000)
  })
})

describe('an invalid URL', () => {
  it.each([
    '/api/user?x=%',
    '/api/user?x=%ff',
    '/api/user?x=%ED%A0%80',
    '/api/%00',
    '/api/%ff',
    '/api/user/social/%00/callback',
    '/%61pi/video?id=%00',
    'http://localhost/api/video?id=%00',
  ])('%s: a 4xx with a message in the envelope', async (path) => {
    const { status, envelope } = read(
      await sendRaw(`GET ${path} HTTP/1.1`, host, 'Connection: close', '', ''),
    )
    expect([400, 404]).toContain(status)
    expect(envelope).toEqual(errorWith(status))
  })
})

describe('a body', () => {
  const post = async (body: BodyInit, type = 'application/json') => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const response = await visitor.fetch('/api/user', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    return { status: response.status, answer: await response.json() }
  }

  it.each([
    ['NUL', '{"display_name":"a\\u0000b"}'],
    ['a lone surrogate', '{"display_name":"\\ud83d"}'],
    ['NUL in a name', '{"a\\u0000":1}'],
    ['a prototype', '{"__proto__":{"display_name":"x"}}'],
    [
      'bytes that are not UTF-8',
      new Uint8Array([...new TextEncoder().encode('{"display_name":"'), 0xff, 0x22, 0x7d]),
    ],
    ['nesting that is too deep', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['a list for a text', '{"display_name":["x"]}'],
  ])('with %s is refused with HTTP 400', async (_name, body) => {
    expect(await post(body)).toEqual({ status: 400, answer: errorWith(400) })
  })

  it('is refused with HTTP 413 if it is too large, and with HTTP 415 if it is not JSON', async () => {
    expect(await post('x'.repeat(1_000_000))).toEqual({ status: 413, answer: errorWith(413) })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])
      expect(await post('a=1', type)).toEqual({ status: 415, answer: errorWith(415) })
  })

  it('that is empty counts as an object without fields', async () => {
    expect(await post('')).toMatchObject({ status: 200, answer: { code: 200 } })
  })
})

it('answers a wrong method, and unknown paths below /api, with HTTP 404', async () => {
  const visitor = site.visitor()
  for (const [method, path] of [
    ['PUT', '/api/user'],
    ['PATCH', '/api/video'],
    ['DELETE', '/api/homepage'],
    ['POST', '/api/nothing'],
    ['GET', '/api'],
    ['POST', '/'],
  ] as const) {
    const response = await visitor.fetch(path, { method })
    expect([method, path, response.status]).toEqual([method, path, faults.unknownEndpoint])
    if (method !== 'GET') expect(await response.json()).toEqual(errorWith(404))
  }
})

describe('the language of a response', () => {
  const sentence = async (headers: Record<string, string>, language?: string) => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    if (language) await visitor.callOk(changeUser, { body: { language } })
    const { answer } = await visitor.call(changeUser, { body: { display_name: ' ' }, headers })
    return answer.message
  }
  const inEnglish = 'Enter a name of 1 to 64 characters.'

  it('is the first offered language of accept-language', async () => {
    expect(await sentence({ 'accept-language': 'ja, fr-CA;q=0.9, de' }, 'es')).toMatch(
      /^Veuillez saisir un nom/,
    )
  })

  it('is the stored language of the user if the header names no offered language, also for errors', async () => {
    expect(await sentence({ 'accept-language': 'ja' }, 'dy')).toMatch(/^Geben Sie einen Namen/)
    const visitor = site.visitor({ 'accept-language': 'ja' })
    await visitor.callOk(getUser)
    await visitor.callOk(changeUser, { body: { language: 'pt' } })
    const response = await visitor.fetch('/api/user', { method: 'PUT' })
    expect(await response.json()).toMatchObject({ message: 'Chamada de API desconhecida.' })
  })

  it('is English for everyone else', async () => {
    expect(await sentence({ 'accept-language': 'ja' })).toBe(inEnglish)
    expect(await sentence({ 'accept-language': '' })).toBe(inEnglish)
  })
})
