export { textValues, type PageContext } from './load-page.ts'
export { listTexts, loadText, readText, restoreText, saveText } from './site-texts.ts'
