import { i18n } from '#web/i18n/index.ts'
import styles from './toast.module.css'

const toastMs = 5000
let toast: HTMLElement | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Shows a message above everything, including dialogs, instead of the previous message. If the message is the key
 * `toast.offline`, translates it.
 */
export function showToast(message: string): void {
  // The offline banner already says so (web/app/deferred).
  if (message === 'toast.offline' && document.querySelector('meta[name=offline]')) return
  toast ??= makeToast()
  toast.textContent = message === 'toast.offline' ? i18n.t('toast.offline') : message
  if (toast.matches(':popover-open')) toast.hidePopover()
  toast.showPopover()
  clearTimeout(timer)
  timer = setTimeout(() => toast?.hidePopover(), toastMs)
}

/** Hides the message before its time is over. */
export function hideToast(): void {
  clearTimeout(timer)
  if (toast?.matches(':popover-open')) toast.hidePopover()
}

function makeToast(): HTMLElement {
  const element = document.createElement('div')
  element.className = styles.toast ?? ''
  element.role = 'status'
  element.popover = 'manual'
  document.body.append(element)
  reservePaywallSpace(element, '--toast')
  return element
}

type NoticeProperty = '--toast' | '--banner' | '--lines'
const notices = new Map<NoticeProperty, HTMLElement>()

/**
 * Moves the paywall below a notice when the notice appears (pay-panel.module.css). A paywall on screen keeps the space
 * when the notice disappears, because its offers must not move under the finger.
 * @returns a function that must be called when the notice is removed
 */
export function reservePaywallSpace(notice: HTMLElement, property: NoticeProperty): () => void {
  const release = () => {
    if (!document.querySelector('main [data-layout]')) setPaywallSpace(property)
  }
  const observer = new ResizeObserver(() => {
    if (!notice.offsetHeight) return release()
    notices.set(property, notice)
    return setPaywallSpace(property)
  })
  observer.observe(notice)
  return () => {
    observer.disconnect()
    notices.delete(property)
    release()
  }
}

function setPaywallSpace(property: NoticeProperty): void {
  // The height of a hidden notice is 0.
  const height = notices.get(property)?.offsetHeight ?? 0
  document.body.style.setProperty(property, `${height && height + 16}px`)
}

/** Reserves space above a new paywall for the notices that are shown. */
export function resetPaywallSpace(): void {
  for (const property of ['--toast', '--banner', '--lines'] as const) setPaywallSpace(property)
}
