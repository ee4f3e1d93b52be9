import { i18n } from '#web/i18n/index.ts'
import { notify } from '#web/lib/notify.ts'

/** Offers a link to share: the system's own sheet where there is one, else the clipboard (words: seed, section 8). */
export async function share(title: string, path: string): Promise<void> {
  const url = new URL(path, location.origin).href
  if (typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches) {
    await navigator.share({ title, url }).catch(() => {})
    return
  }
  try {
    await navigator.clipboard.writeText(url)
    notify(i18n.t('video.copied'))
  } catch (error) {
    notify(
      error instanceof DOMException ? i18n.t('video.copyFailed') : `${i18n.t('video.unableToCopy')} ${url}`,
    )
  }
}
