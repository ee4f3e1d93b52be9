import { i18n } from '#web/i18n/index.ts'
import { notify } from '#web/lib/notify.ts'

/** Returns the URL to share, with the sharer's code if there is one. */
export function shareUrl(path: string, code: string | null | undefined): string {
  const url = new URL(path, location.origin)
  if (code) url.searchParams.set('token', code)
  return url.href
}

/** Returns whether to use the system's share sheet: only on phones and tablets, where people know it. */
export function canUseSystemShare(): boolean {
  return typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches
}

/** Copies a text and shows one of the three messages of the seed (section 8). */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(i18n.t('video.copied'))
  } catch (error) {
    // A DOMException is the browser's refusal; the seed has another message for other exceptions.
    const isDenied = error instanceof DOMException
    notify(isDenied ? i18n.t('video.copyFailed') : `${i18n.t('video.unableToCopy')} ${text}`)
  }
}

/** Returns links to the usual networks. They are plain links, so that in-app browsers need no pop-up. */
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
