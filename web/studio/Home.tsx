import { Navigate } from 'react-router'
import { showStart } from '#contract/studio/start.ts'
import { areas } from './areas.ts'
import { useDesk, useMay } from './queries.ts'
import { FirstSteps } from './start/FirstSteps.tsx'

/** The first steps while any is left to whoever may take them, then the first area of the operator's role. */
export function Home() {
  const { role } = useDesk().operator
  const may = useMay()
  const next = areas.find(({ roles }) => roles.includes(role))?.path ?? '/studio/nothing'
  return may(showStart) ? <FirstSteps next={next} /> : <Navigate to={next} replace />
}
