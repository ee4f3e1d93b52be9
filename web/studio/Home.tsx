import { Navigate } from 'react-router'
import { areas } from './areas.ts'
import { useDesk } from './queries.ts'

/** Leads to the first area of the operator's role. */
export function Home() {
  const { role } = useDesk().operator
  const first = areas.find(({ roles }) => roles.includes(role))
  return <Navigate to={first?.path ?? '/studio/nothing'} replace />
}
