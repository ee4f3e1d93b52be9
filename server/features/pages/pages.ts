export { textValues, type PageContext } from '#server/features/pages/text-pages/load-page.ts'
export { keepIcon, makeIcon, type IconPicture } from './install/make-icon.ts'
export {
  listTexts,
  loadText,
  readText,
  restoreText,
  saveText,
} from '#server/features/pages/text-pages/site-texts.ts'
