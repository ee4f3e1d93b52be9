export { textValues, type PageContext } from './load-page.ts'
export { keepIcon, makeIcon, type IconPicture } from './make-icon.ts'
export { listTexts, loadText, readText, restoreText, saveText } from './site-texts.ts'
