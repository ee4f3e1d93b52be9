// A fake bucket in a separate process, which can run on another host. Prints the settings of a site that uses the
// bucket.
import { startFakeS3 } from '#server/testing/fakes/fake-s3.ts'

const { settings } = await startFakeS3(process.argv[2])
console.log(JSON.stringify(settings))
