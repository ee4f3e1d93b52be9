import { useLocation, useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'

/** Leads back to where the person was when they were asked to sign in, else to their own area. */
export function useWayOn(): (() => void) & { state: { from: string } | null } {
  const navigate = useNavigate()
  const { state } = useLocation()
  const from = fromOf(state)
  const goOn = () => void navigate(from ?? paths.my.to(), { replace: true })
  return Object.assign(goOn, { state: from ? { from } : null })
}

function fromOf(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('from' in state)) return null
  return typeof state.from === 'string' && /^\/(?![/\\])/.test(state.from) ? state.from : null
}
