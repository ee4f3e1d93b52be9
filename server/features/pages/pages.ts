export { placeholderValues, type PageContext } from '#server/features/pages/text-pages/load-page.ts'
export { replaceIcon, convertIcon, type IconImage } from './pwa/convert-icon.ts'
export {
  loadPageTexts,
  loadPageText,
  renderPageText,
  restorePageText,
  storePageText,
} from '#server/features/pages/text-pages/page-texts.ts'
