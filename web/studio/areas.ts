import type { ComponentType } from 'react'
import { roles, type Role } from '#contract/studio/roles.ts'
import type { AreaIconName } from './ui/AreaIcon.tsx'

/** An area of the studio, with an entry in the navigation. */
export interface Area {
  name:
    | 'videos'
    | 'homepage'
    | 'payments'
    | 'customers'
    | 'plans'
    | 'team'
    | 'system'
    | 'settings'
    | 'analytics'
    | 'experiments'
  path: string
  icon: AreaIconName
  /** The roles that may open the area. */
  roles: readonly Role[]
  load: () => Promise<{ Component: ComponentType }>
}

/** The areas in the order of the navigation. The start page leads to the first one that the role may open. */
export const areas: readonly Area[] = [
  {
    name: 'videos',
    path: '/studio/videos',
    icon: 'videos',
    roles,
    load: () => import('./content/ContentScreen.tsx'),
  },
  {
    name: 'homepage',
    path: '/studio/homepage',
    icon: 'house',
    roles: ['owner', 'editor'],
    load: () => import('./homepage/HomepageScreen.tsx'),
  },
  {
    name: 'payments',
    path: '/studio/payments',
    icon: 'banknote',
    roles: ['owner', 'support', 'analyst'],
    load: () => import('./payments/PaymentsScreen.tsx'),
  },
  {
    name: 'customers',
    path: '/studio/customers',
    icon: 'people',
    roles: ['owner', 'support'],
    load: () => import('./customers/CustomersScreen.tsx'),
  },
  {
    name: 'plans',
    path: '/studio/plans',
    icon: 'calendar',
    roles: ['owner', 'support', 'analyst'],
    load: () => import('./plans/PlansScreen.tsx'),
  },
  {
    name: 'analytics',
    path: '/studio/analytics',
    icon: 'chart',
    roles: ['owner', 'editor', 'analyst'],
    load: () => import('./analytics/AnalyticsScreen.tsx'),
  },
  {
    name: 'experiments',
    path: '/studio/experiments',
    icon: 'flask',
    roles: ['owner', 'analyst'],
    load: () => import('./experiments/ExperimentsScreen.tsx'),
  },
  { name: 'team', path: '/studio/team', icon: 'badge', roles, load: () => import('./team/TeamScreen.tsx') },
  {
    name: 'system',
    path: '/studio/system',
    icon: 'pulse',
    roles,
    load: () => import('./system/SystemScreen.tsx'),
  },
  {
    name: 'settings',
    path: '/studio/settings',
    icon: 'gear',
    roles,
    load: () => import('./settings/SettingsScreen.tsx'),
  },
]
