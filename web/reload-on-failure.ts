import { reloadDocument } from './lib/reload-document.ts'

// This script is inlined before the scripts of a document. Without it, the page would stay empty if they do not load.
addEventListener('error', reloadOnFailedModule, true)

/** Errors of resources do not bubble, so the event is captured. Ignores scripts of browser extensions. */
function reloadOnFailedModule({ target }: Event): void {
  if (target instanceof HTMLScriptElement && target.src.startsWith(`${location.origin}/assets/`))
    reloadDocument()
}
