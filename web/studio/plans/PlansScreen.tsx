import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { NewPlan, PlanPage } from './PlanPage.tsx'
import { PlanList } from './PlanList.tsx'
import { NewTopUp, TopUpPage } from './top-ups/TopUpPage.tsx'
import { TopUpList } from './top-ups/TopUpList.tsx'

/** The plans area: plans with their subscribers, and top-ups. */
export function Component() {
  return (
    <Routes>
      <Route index element={<PlanList />} />
      <Route path="new" element={<NewPlan />} />
      <Route path="top-ups" element={<TopUpList />} />
      <Route path="top-ups/new" element={<NewTopUp />} />
      <Route path="top-ups/:id" element={<TopUpRoute />} />
      <Route path=":id" element={<PlanRoute />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function PlanRoute() {
  const { id = '' } = useParams()
  return <PlanPage key={id} id={id} />
}

function TopUpRoute() {
  const { id = '' } = useParams()
  return <TopUpPage key={id} id={id} />
}
