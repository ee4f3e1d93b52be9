import { i18n } from '#web/i18n/index.ts'
import { notify } from '#web/lib/notify.ts'

/** The address to share: with the sharer's code, if there is one. */
export function sharedUrl(path: string, code: string | null | undefined): string {
  const url = new URL(path, location.origin)
  if (code) url.searchParams.set('token', code)
  return url.href
}

/** Whether the system has a sheet of its own for it: on phones and tablets it is the one people know. */
export function canShareBySystem(): boolean {
  return typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches
}

/** Copies a text and says so (the three messages: seed, section 8). */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(i18n.t('video.copied'))
  } catch (error) {
    // The browser's own refusal; anything else is the exception that the seed means.
    const refused = error instanceof DOMException
    notify(refused ? i18n.t('video.copyFailed') : `${i18n.t('video.unableToCopy')} ${text}`)
  }
}

/** Where a link is usually given on; plain links, so that in-app browsers need no pop-up. */
export function shareTargets(title: string, url: string): { name: string; href: string }[] {
  const [text, link] = [encodeURIComponent(title), encodeURIComponent(url)]
  return [
    { name: 'WhatsApp', href: `https://wa.me/?text=${text}%20${link}` },
    { name: 'Facebook', href: `https://www.facebook.com/sharer/sharer.php?u=${link}` },
    { name: 'X', href: `https://x.com/intent/post?text=${text}&url=${link}` },
    { name: 'Telegram', href: `https://t.me/share/url?url=${link}&text=${text}` },
    { name: i18n.t('video.byMail'), href: `mailto:?subject=${text}&body=${link}` },
  ]
}
