import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { listOf, oneOf } from './shapes.ts'

/** The tracking settings that are sent to browsers. */
export const trackingKeys = ['facebook_pixel_id', 'google_analytics', 'tiktok_pixel', 'bigo_pixel'] as const

export const getReports = endpoint({
  method: 'GET',
  path: '/api/reports',
  summary: 'Lists the tracking settings as config_key and config_value',
  refuses: [],
  data: listOf(Type.Object({ config_key: oneOf(trackingKeys), config_value: Type.String() })),
})
