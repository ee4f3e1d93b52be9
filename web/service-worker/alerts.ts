/// <reference lib="webworker" />
import type { PushMessage } from '#contract/alerts.ts'

declare const self: ServiceWorkerGlobalScope

/**
 * Shows the notification of a push. Browsers require a notification for each push, so an unreadable push shows a
 * generic notification.
 */
export async function showAlert(data: PushMessageData | null): Promise<void> {
  const { title, body, lang, icon, url, tag } = parsePush(data)
  await self.registration.showNotification(title, {
    body,
    lang,
    tag,
    data: url,
    ...(icon === null ? {} : { icon }),
  })
}

const genericMessage = (): PushMessage => ({
  title: self.location.hostname,
  body: '',
  lang: '',
  icon: null,
  url: '/',
  tag: 'site',
})

/** Parses a push. The type is not checked, because only this site has the VAPID key that can send a push. */
function parsePush(data: PushMessageData | null): PushMessage {
  try {
    return (data?.json() as PushMessage | undefined) ?? genericMessage()
  } catch {
    return genericMessage()
  }
}

/** Opens the drama of a clicked notification: in the page that already shows the drama, else in a new page. */
export async function openAlert({ data }: Notification): Promise<void> {
  const { href, pathname } = new URL(String(data), self.location.origin)
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const openPage = pages.find(({ url }) => new URL(url).pathname === pathname)
  if (!openPage) return void (await self.clients.openWindow(href))
  await openPage.focus()
  // A page that this worker does not control cannot be navigated.
  if (openPage.url !== href) await openPage.navigate(href).catch(() => self.clients.openWindow(href))
}
