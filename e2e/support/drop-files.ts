import type { Locator } from '@playwright/test'

/** Simulates a user who drops files or folders from the disk on a page. */
export async function dropFiles(target: Locator, files: string[]): Promise<void> {
  const { x = 0, y = 0 } = (await target.boundingBox()) ?? {}
  const page = target.page()
  const devtools = await page.context().newCDPSession(page)
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data })
  await devtools.detach()
}
