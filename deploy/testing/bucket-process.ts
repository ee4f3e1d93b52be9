// A bucket in a process of its own, which can run on another host. Prints the settings of a site that uses it.
import { startFakeS3 } from '#server/testing/fakes/fake-s3.ts'

const { settings } = await startFakeS3(process.argv[2])
console.log(JSON.stringify(settings))
