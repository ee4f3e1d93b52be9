// Writes to standard output the types of the calls that the OpenAPI document at an address describes, as openapi-typescript makes them.
import { registerHooks } from 'node:module'

// openapi-typescript builds its answer with the compiler's JavaScript API, which TypeScript 7 does not have.
registerHooks({
  resolve(specifier, context, next) {
    const isGenerator = context.parentURL?.includes('/node_modules/openapi-typescript/')
    return next(specifier === 'typescript' && isGenerator ? 'typescript5' : specifier, context)
  },
})

const { default: generate, astToString } = await import('openapi-typescript')
const [address = ''] = process.argv.slice(2)
process.stdout.write(astToString(await generate(new URL(address))))
