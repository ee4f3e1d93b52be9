export {
  placeholderValues as textValues,
  type PageContext,
} from '#server/features/pages/text-pages/load-page.ts'
export {
  replaceIcon as keepIcon,
  convertIcon as makeIcon,
  type IconImage as IconPicture,
} from './install/convert-icon.ts'
export {
  listSiteTexts as listTexts,
  loadSiteText as loadText,
  renderSiteText as readText,
  restoreSiteText as restoreText,
  saveSiteText as saveText,
} from '#server/features/pages/text-pages/site-texts.ts'
