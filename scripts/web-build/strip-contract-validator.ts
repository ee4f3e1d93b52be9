import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { isEndpoint } from '#contract/endpoint.ts'

/** Returns whether a value is a TypeBox schema, which has one of these hidden properties. */
const isSchema = (value: unknown) =>
  typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)

/**
 * Returns the source of a contract module for the browser: its endpoints as `{method, path, idempotent, roles}`, and
 * its constants. Returns null for a module without endpoints, which is bundled unchanged.
 * @throws Error if a module with endpoints exports a function, because functions cannot be serialized
 */
export function stripSchemas(file: string, exported: Record<string, unknown>): string | null {
  if (!Object.values(exported).some(isEndpoint)) return null
  return Object.entries(exported)
    .filter(([, value]) => !isSchema(value))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(stripEndpoint(file, name, value))}\n`)
    .join('')
}

function stripEndpoint(file: string, name: string, value: unknown): unknown {
  if (typeof value === 'function')
    throw new Error(
      `${file} declares endpoints and exports the function ${name}: move it to a file without endpoints`,
    )
  if (!isEndpoint(value)) return value
  const { method, path, idempotent } = value
  // `roles` is included because the studio hides actions that an operator's role does not allow.
  return { method, path, idempotent, ...('roles' in value ? { roles: value.roles } : {}) }
}

/** Keeps the schema validator out of the browser bundle, and fails the build if the bundle contains it. */
export function stripContractValidator(folder: string): Plugin {
  return {
    name: 'contract-without-validator',
    apply: 'build',
    enforce: 'pre',
    async load(id) {
      if (!id.startsWith(`${folder}/`) || !id.endsWith('.ts')) return null
      return stripSchemas(id, await import(pathToFileURL(id).href))
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const validatorModule = chunk.moduleIds.find((id) => id.includes('node_modules/typebox/'))
        if (validatorModule)
          this.error(`the validator reached the client bundle: ${chunk.fileName} contains ${validatorModule}`)
      }
    },
  }
}
