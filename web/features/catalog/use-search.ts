import { useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { addSearch } from './search-history.ts'

/** Searches for words: adds them to the recent searches and opens the results. */
export function useSearch(): (words: string) => void {
  const navigate = useNavigate()
  return (words) => {
    addSearch(words)
    void navigate(paths.searchDetail.to(words))
  }
}
