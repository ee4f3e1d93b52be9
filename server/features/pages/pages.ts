export { placeholderValues, type PageContext } from '#server/features/pages/text-pages/load-page.ts'
export { replaceIcon, convertIcon, type IconImage } from './pwa/convert-icon.ts'
export {
  listSiteTexts,
  loadSiteText,
  renderSiteText,
  restoreSiteText,
  saveSiteText,
} from '#server/features/pages/text-pages/site-texts.ts'
