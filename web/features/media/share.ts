import { i18n } from '#web/i18n/index.ts'
import { notify } from '#web/lib/notify.ts'

/** Returns the URL to share, with the sharer's referral code if there is one. */
export function shareUrl(path: string, code: string | null | undefined): string {
  const url = new URL(path, location.origin)
  if (code) url.searchParams.set('token', code)
  return url.href
}

/**
 * Returns whether to use the system's share sheet. It is used only on phones and tablets, where users are familiar with
 * it.
 */
export function canUseSystemShare(): boolean {
  return typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches
}

/** Copies a text and shows one of three messages (seed, section 8): copied, refused by the browser, or not copied. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(i18n.t('video.copied'))
  } catch (error) {
    // A DOMException means that the browser refused. For other errors, the seed has another message, which includes the
    // text.
    const isDenied = error instanceof DOMException
    notify(isDenied ? i18n.t('video.copyFailed') : `${i18n.t('video.unableToCopy')} ${text}`)
  }
}

/** Returns links to common networks. Plain links, because in-app browsers block pop-ups. */
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
