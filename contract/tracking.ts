import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { listOf, oneOf } from './shapes.ts'

/** The tracking settings a browser may know (seed, section 9). */
export const trackingKeys = ['facebook_pixel_id', 'google_analytics', 'tiktok_pixel', 'bigo_pixel'] as const

export const getReports = endpoint({
  method: 'GET',
  path: '/api/reports',
  summary: 'Returns the tracking settings: a list of config_key and config_value',
  refuses: [],
  data: listOf(Type.Object({ config_key: oneOf(trackingKeys), config_value: Type.String() })),
})
