import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const page = '/api/docs'
const files = ['/api/docs/start.js', '/api/docs/swagger-ui-bundle.js', '/api/docs/swagger-ui.css']
const document = '/api/openapi.json'

describe.each([
  { setting: '1', served: [page, ...files, document], missing: [] },
  { setting: '0', served: [document], missing: [page, ...files] },
])('with API_DOCS=$setting', ({ setting, served, missing }) => {
  let site: TestSite
  beforeAll(async () => {
    site = await startTestSite({}, { API_DOCS: setting })
  })
  afterAll(() => site.close())

  const statusesOf = (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await site.visitor().fetch(path)).status))

  it('serves the OpenAPI document, and the API reference only with the setting 1', async () => {
    expect(await statusesOf(served)).toEqual(served.map(() => 200))
    expect(await statusesOf(missing)).toEqual(missing.map(() => 404))
  })

  it('describes exactly the files that are served', async () => {
    const { paths } = (await (await site.visitor().fetch(document)).json()) as { paths: object }
    const described = Object.keys(paths).filter((path) => path.startsWith(page))
    expect(described.toSorted()).toEqual(served.filter((path) => path !== document).toSorted())
  })
})
