/// <reference lib="webworker" />
import type { PushMessage } from '#contract/alerts.ts'

declare const self: ServiceWorkerGlobalScope

/** Shows a push. A browser wants to see a notification for each, so one that cannot be read is one of the site. */
export async function showAlert(data: PushMessageData | null): Promise<void> {
  const { title, body, lang, icon, url, tag } = read(data)
  await self.registration.showNotification(title, {
    body,
    lang,
    tag,
    data: url,
    ...(icon === null ? {} : { icon }),
  })
}

const unreadable = (): PushMessage => ({
  title: self.location.hostname,
  body: '',
  lang: '',
  icon: null,
  url: '/',
  tag: 'site',
})

/** Only the site itself can push here (its VAPID key), so that the type is the writer's word. */
function read(data: PushMessageData | null): PushMessage {
  try {
    return (data?.json() as PushMessage | undefined) ?? unreadable()
  } catch {
    return unreadable()
  }
}

/** Goes to the page of a pressed notification: an open one of that drama comes to the front, else there is a new one. */
export async function openAlert({ data }: Notification): Promise<void> {
  const { href, pathname } = new URL(String(data), self.location.origin)
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = pages.find(({ url }) => new URL(url).pathname === pathname)
  if (!open) return void (await self.clients.openWindow(href))
  await open.focus()
  // A page that this worker does not control cannot be led elsewhere.
  if (open.url !== href) await open.navigate(href).catch(() => self.clients.openWindow(href))
}
