let memberCount = 0

/** Returns the cookies that a response sets, as a `cookie` header. */
export const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .filter((line) => !/max-age=0(;|$)/i.test(line))
    .map((line) => line.split(';')[0])
    .join('; ')

/** Sends a POST request as a browser does from a page of the site. */
export function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    body: JSON.stringify(body),
  })
}

/** Returns the cookies of a new visitor. */
export async function newCookies(url: string): Promise<string> {
  const response = await fetch(`${url}/api/user`)
  await response.arrayBuffer()
  return cookiesOf(response)
}

/** Registers a new member. */
export async function registerBenchMember(url: string): Promise<{ id: string; cookie: string }> {
  const password = 'nobody needs to know this one'
  const email = `bounds-${++memberCount}@example.com`
  const cookie = await newCookies(url)
  const body = { email, password, repeat_password: password }
  const response = await post(url, '/api/user/register', body, { cookie })
  // The cast is safe: the site sent the response.
  const { info } = (await response.json()) as { info: { id: string } }
  return { id: info.id, cookie: cookiesOf(response) }
}
