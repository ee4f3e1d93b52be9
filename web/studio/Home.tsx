import { Navigate } from 'react-router'
import { showStart } from '#contract/studio/start.ts'
import { areas } from './areas.ts'
import { useOperatorSession, useMay } from './queries.ts'
import { FirstSteps } from './start/FirstSteps.tsx'

/** The setup guide while the operator has open steps, then the first area of their role. */
export function Home() {
  const { role } = useOperatorSession().operator
  const may = useMay()
  const next = areas.find(({ roles }) => roles.includes(role))?.path ?? '/studio/nothing'
  return may(showStart) ? <FirstSteps next={next} /> : <Navigate to={next} replace />
}
