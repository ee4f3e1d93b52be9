import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { pageOf, stringEnum } from './schemas.ts'

/** The tracking settings that are sent to browsers. */
export const trackingKeys = ['facebook_pixel_id', 'google_analytics', 'tiktok_pixel', 'bigo_pixel'] as const

export const getReports = endpoint({
  method: 'GET',
  path: '/api/reports',
  summary: 'Lists the tracking settings as config_key and config_value',
  refuses: [],
  data: pageOf(Type.Object({ config_key: stringEnum(trackingKeys), config_value: Type.String() })),
})
