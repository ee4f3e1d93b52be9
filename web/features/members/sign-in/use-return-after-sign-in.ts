import { useLocation, useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'

/**
 * Returns a function that opens the page from which the user came to the sign-in, else the member area. After a visit
 * to a social provider, the URL contains that page.
 */
export function useReturnAfterSignIn(): (() => void) & { state: { from: string } | null } {
  const navigate = useNavigate()
  const { state, search } = useLocation()
  const from = returnPathOf(state) ?? safePath(new URLSearchParams(search).get('return_to'))
  const returnAfterSignIn = () => void navigate(from ?? paths.my.to(), { replace: true })
  return Object.assign(returnAfterSignIn, { state: from ? { from } : null })
}

function returnPathOf(state: unknown): string | null {
  return typeof state === 'object' && state !== null && 'from' in state ? safePath(state.from) : null
}

/** Returns the path if it belongs to this site, else null, so that a link cannot redirect to another site. */
function safePath(path: unknown): string | null {
  return typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : null
}
