import { reloadDocument } from './lib/reload-document.ts'

// This script is inlined before the scripts of a document. Without it, the page would stay empty if they do not load.
addEventListener('error', reloadOnFailedModule, true)

/** Errors of resources do not bubble, so the event is captured. Only our own scripts are modules. */
function reloadOnFailedModule({ target }: Event): void {
  if (target instanceof HTMLScriptElement && target.type === 'module') reloadDocument()
}
