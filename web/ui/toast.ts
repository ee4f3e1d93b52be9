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
  reservePaywallSpace(element, '--toast')
  return element
}

/**
 * Moves the paywall below a notice while the notice is shown (pay-panel.module.css). The height of a hidden notice is 0.
 * @returns a function that must be called when the notice is removed
 */
export function reservePaywallSpace(notice: HTMLElement, property: '--toast' | '--banner'): () => void {
  const { style } = document.body
  const observer = new ResizeObserver(() => {
    const { offsetHeight } = notice
    style.setProperty(property, `${offsetHeight && offsetHeight + 16}px`)
  })
  observer.observe(notice)
  return () => {
    observer.disconnect()
    style.removeProperty(property)
  }
}
