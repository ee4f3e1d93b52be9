import type { TFunction } from 'i18next'

/**
 * Says what the browser's own buttons beside a row of cards show, and what they are called (section.module.css).
 * Browsers that make none of a style sheet's words go without.
 */
export function nameRowButtons(t: TFunction): void {
  const { style } = document.documentElement
  style.setProperty('--row-before', `'‹' / ${JSON.stringify(t('home.previous'))}`)
  style.setProperty('--row-after', `'›' / ${JSON.stringify(t('home.next'))}`)
}
