import { expect, test } from 'vitest'
import { presign } from './presign.ts'

test("signs a link as in the example of AWS's documentation", () => {
  const signedAt = new Date('2013-05-24T00:00:00Z')
  const link = presign(
    {
      address: new URL('https://examplebucket.s3.amazonaws.com'),
      region: 'us-east-1',
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    { key: 'test.txt', signedAt, expires: new Date(signedAt.getTime() + 86_400_000) },
  )
  expect(new URL(link).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})
