import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { OneExperiment } from './ExperimentPage.tsx'
import { Experiments, NewExperiment } from './Experiments.tsx'

/** Experiments and their results. */
export function Component() {
  return (
    <Routes>
      <Route index element={<Experiments />} />
      <Route path="new" element={<NewExperiment />} />
      <Route path=":id" element={<One />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function One() {
  const { id = '' } = useParams()
  return <OneExperiment key={id} id={id} />
}
