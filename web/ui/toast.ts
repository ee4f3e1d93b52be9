import { i18n } from '#web/i18n/index.ts'
import styles from './toast.module.css'

const toastMs = 5000
let toast: HTMLElement | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Shows a message above everything, including dialogs, instead of the previous message. Translates `toast.offline`.
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
  // The paywall moves below the message (pay-panel.module.css). The height of a hidden message is 0.
  new ResizeObserver(() => {
    const { offsetHeight } = element
    document.body.style.setProperty('--toast', `${offsetHeight && offsetHeight + 16}px`)
  }).observe(element)
  return element
}
