import type { BrowserContext, Page } from '@playwright/test'
import { expect, test as base } from '#e2e/support/fixtures.ts'
import { proxyUrl, startReleaseProxy, type ReleaseProxy } from '#e2e/fakes/release-proxy.ts'
import { expectNoLayoutShift, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { pixelIds, interceptPixels } from '#e2e/fakes/pixel-servers.ts'
import { resolvePath } from '#e2e/support/routes.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

const test = base.extend<{ releaseProxy: ReleaseProxy }>({
  releaseProxy: [
    // The site must start before its proxy.
    async ({ baseURL: _site, context }, use) => {
      const releaseProxy = await startReleaseProxy()
      await use(releaseProxy)
      // Open pages would send requests after the proxy has stopped.
      for (const page of context.pages()) await page.close()
      await releaseProxy.close()
    },
    { auto: true },
  ],
})

test.use({
  baseURL: proxyUrl,
  serviceWorkers: 'allow',
})

/** Opens the homepage, and waits until its release is cached. */
async function openCached(page: Page): Promise<void> {
  await page.goto('/')
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
}

const readCaches = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys()
    const paths = await Promise.all(
      names.map(async (name) => {
        // Opening a deleted cache would create it again.
        const requests = (await caches.has(name)) ? await (await caches.open(name)).keys() : []
        return requests.map(({ url }) => new URL(url).pathname)
      }),
    )
    return { releases: names.length, paths: paths.flat() }
  })

/** Returns the releases of this document's files. */
const releasesOf = (page: Page) =>
  page.evaluate(() => {
    const files = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
    const assets = files.filter((file) => file.startsWith('/assets/'))
    return [...new Set(assets.map((file) => (/\.two\.\w+$/.test(file) ? 2 : 1)))]
  })

const offline = (page: Page) => page.getByText('You’re offline.')
const expectHeading = (page: Page, name: RegExp) => expect(page.getByRole('heading', { name })).toBeVisible()

test('the site meets the browser’s requirements for installation', async ({ page, context }) => {
  await openCached(page)
  const devtools = await context.newCDPSession(page)
  const { errors, data } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { name, icons } = JSON.parse(data ?? '{}') as {
    name: string
    icons: { src: string; sizes: string }[]
  }
  expect(name).toBe('Cliffhanger')
  for (const { src, sizes } of icons) expect(await sizeOf(page, src)).toBe(sizes)
  const touch = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect(await sizeOf(page, `${touch}`)).toBe('180x180')
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // Test windows are incognito windows, which do not support installation.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})

const sizeOf = (page: Page, src: string) =>
  page.evaluate(async (address) => {
    const { width, height } = await createImageBitmap(await (await fetch(address)).blob())
    return `${width}x${height}`
  }, src)

test('the service worker caches only files of the release: no API responses, images or video segments', async ({
  page,
}) => {
  await openCached(page)
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await expectProgress(page)
  await page.goto('/my')
  await expectHeading(page, /My account/)
  const { paths, releases } = await readCaches(page)
  expect(releases).toBe(1)
  expect(paths).toContain('/offline')
  expect(paths.some((path) => /HomeScreen/.test(path))).toBe(true)
  expect(paths.filter((path) => path !== '/offline' && !path.startsWith('/assets/'))).toEqual([])
})

test('on a first visit, the service worker is registered only after the video has buffered', async ({
  page,
}) => {
  const isRegistered = () =>
    page.evaluate(async () => Boolean(await navigator.serviceWorker.getRegistration()))
  await page.goto(await resolvePath(page, '/videos/{video}?episode=1'))
  await expectProgress(page)
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  expect(await isRegistered()).toBe(false)
  await page.evaluate(() => {
    for (const video of document.querySelectorAll('video')) video.pause()
  })
  await expect.poll(isRegistered).toBe(true)
})

test.describe('without a connection', () => {
  test.use({ allowedConsoleMessages: /net::ERR_/ })

  test('offline, the cached app shell opens with stored data and a message, and recovers automatically', async ({
    page,
    context,
  }) => {
    await openCached(page)
    await expectHeading(page, /All dramas/)
    await context.setOffline(true)
    await recordLayoutShifts(page)
    await page.reload()
    await expectHeading(page, /All dramas/)
    await expect(offline(page)).toBeVisible()
    await expectNoLayoutShift(page)
    // A screen that was not opened before.
    await page.goto('/favorites')
    await expect(page.getByText('We couldn’t load this.')).toBeVisible()
    await expect(offline(page)).toBeVisible()
    await context.setOffline(false)
    await expect(offline(page)).toBeHidden()
    await expect(page.getByText('No favorites yet.')).toBeVisible()
  })

  test('a temporary connection loss does not change the content of an open page', async ({
    page,
    context,
  }) => {
    await openCached(page)
    await context.setOffline(true)
    await expect(offline(page)).toBeVisible()
    await page.getByRole('link', { name: 'Search' }).click()
    await expect(page).toHaveURL(/\/search$/)
    await context.setOffline(false)
    await expect(offline(page)).toBeHidden()
    await expectHeading(page, /Popular now/)
  })

  test('an unreachable site counts as offline, whatever the browser reports about the network', async ({
    page,
    releaseProxy,
  }) => {
    await openCached(page)
    releaseProxy.isDown = true
    await page.goto('/favorites')
    await expect(offline(page)).toBeVisible()
    releaseProxy.isDown = false
    await expect(page.getByText('No favorites yet.')).toBeVisible()
    await expect(offline(page)).toBeHidden()
  })
})

test('if a document is too slow, the cached app shell replaces it and shows the screen', async ({
  page,
  releaseProxy,
}) => {
  await openCached(page)
  releaseProxy.slow = true
  await page.goto('/favorites')
  await expect(page.getByText('No favorites yet.')).toBeVisible()
  await expect(offline(page)).toBeHidden()
})

test('the cached app shell loads no pixels, because it may be older than the site’s settings', async ({
  page,
  context,
  releaseProxy,
}) => {
  const { requests, eventsOf } = await interceptPixels(context, proxyUrl)
  await page.addInitScript(() => localStorage.setItem('consent', 'yes'))
  await openCached(page)
  await expect.poll(() => eventsOf('meta')).toEqual(['PageView'])
  for (const platform of Object.keys(pixelIds)) await expect.poll(() => eventsOf(platform)).toHaveLength(1)
  const before = requests.length
  releaseProxy.slow = true
  await page.goto('/favorites')
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  await page.getByRole('link', { name: 'Search' }).click()
  await expectHeading(page, /Popular now/)
  expect(requests).toHaveLength(before)
})

test('a new release is applied completely: an open page keeps its files, the next document uses only new ones', async ({
  page,
  releaseProxy,
}) => {
  await openCached(page)
  releaseProxy.release = 2
  await page.getByRole('link', { name: 'Search' }).click()
  await expectHeading(page, /Popular now/)
  expect(await releasesOf(page)).toEqual([1])
  await page.reload()
  await expectHeading(page, /Popular now/)
  expect(await releasesOf(page)).toEqual([2])
  await expectOnlyNewCached(page)
})

test('the old files stay cached while a page of the old release is open', async ({
  page,
  context,
  releaseProxy,
}) => {
  await openCached(page)
  releaseProxy.release = 2
  const newerPage = await context.newPage()
  await newerPage.goto('/')
  const isWaiting = () =>
    newerPage.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting))
  await expect.poll(isWaiting).toBe(true)
  expect((await readCaches(newerPage)).releases).toBe(2)
  await page.getByRole('link', { name: 'Search' }).click()
  await expectHeading(page, /Popular now/)
  expect(await releasesOf(page)).toEqual([1])
})

async function expectOnlyNewCached(page: Page): Promise<void> {
  const readOldFiles = async () => {
    const { releases, paths } = await readCaches(page)
    return [releases, paths.filter((path) => path !== '/offline' && !/\.two\.\w+$/.test(path))]
  }
  await page.reload()
  await expect.poll(readOldFiles).toEqual([1, []])
}

test.describe('without a service worker', () => {
  test.use({ serviceWorkers: 'block', allowedConsoleMessages: /404|dynamically imported module|preload CSS/ })
  const recordDocuments = (context: BrowserContext) => {
    const documents: string[] = []
    context.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
    })
    return documents
  }

  /** Opens the homepage, and waits for its idle-time requests. */
  const openIdle = async (page: Page) => {
    await page.goto('/')
    await expectHeading(page, /All dramas/)
    await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  }

  test('a page whose files were deleted reloads on the next navigation and opens the tapped screen', async ({
    page,
    context,
    releaseProxy,
  }) => {
    const documents = recordDocuments(context)
    await openIdle(page)
    releaseProxy.release = 2
    await page.getByRole('link', { name: 'Search' }).click()
    await expectHeading(page, /Popular now/)
    await expect(page).toHaveURL(/\/search$/)
    expect(await releasesOf(page)).toEqual([2])
    expect(documents).toEqual(['/', '/search'])
  })

  test('a permanently missing file does not cause a reload loop', async ({ page, context, releaseProxy }) => {
    const documents = recordDocuments(context)
    await openIdle(page)
    releaseProxy.missingPaths = /SearchScreen/
    await page.getByRole('link', { name: 'Search' }).click()
    await expect(page.getByText('We couldn’t load this.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(documents).toEqual(['/', '/search'])
  })
})
