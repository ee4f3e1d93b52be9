import { useLocation, useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'

/**
 * Leads back to where the person was when they were asked to sign in, else to their own area. Who has visited a social provider
 * since has it in the address.
 */
export function useWayOn(): (() => void) & { state: { from: string } | null } {
  const navigate = useNavigate()
  const { state, search } = useLocation()
  const from = fromOf(state) ?? ownPath(new URLSearchParams(search).get('return_to'))
  const goOn = () => void navigate(from ?? paths.my.to(), { replace: true })
  return Object.assign(goOn, { state: from ? { from } : null })
}

function fromOf(state: unknown): string | null {
  return typeof state === 'object' && state !== null && 'from' in state ? ownPath(state.from) : null
}

/** Only a path of this site is accepted (security.md, "Redirects"). */
function ownPath(path: unknown): string | null {
  return typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : null
}
