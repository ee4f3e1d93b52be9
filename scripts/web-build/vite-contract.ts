import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { isEndpoint } from '#contract/endpoint.ts'

/** A TypeBox schema marks itself with one of these hidden properties. */
const isSchema = (value: unknown) =>
  typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)

/**
 * What the browser needs of one contract module: its endpoints as `{method, path, idempotent, roles}` and its constants.
 * Returns null for a module that declares no endpoint; it is taken as it is.
 * Throws where such a module exports a function, which could not be carried over.
 */
export function reduceContract(file: string, exported: Record<string, unknown>): string | null {
  if (!Object.values(exported).some(isEndpoint)) return null
  return Object.entries(exported)
    .filter(([, value]) => !isSchema(value))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(reduce(file, name, value))}\n`)
    .join('')
}

function reduce(file: string, name: string, value: unknown): unknown {
  if (typeof value === 'function')
    throw new Error(
      `${file} declares endpoints and exports the function ${name}: move it to a file without endpoints`,
    )
  if (!isEndpoint(value)) return value
  const { method, path, idempotent } = value
  // The studio hides what a role may not do.
  return { method, path, idempotent, ...('roles' in value ? { roles: value.roles } : {}) }
}

/** Keeps the validator out of the client bundle, and refuses a bundle that has it nevertheless. */
export function contractWithoutValidator(folder: string): Plugin {
  return {
    name: 'contract-without-validator',
    apply: 'build',
    enforce: 'pre',
    async load(id) {
      if (!id.startsWith(`${folder}/`) || !id.endsWith('.ts')) return null
      return reduceContract(id, await import(pathToFileURL(id).href))
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const stray = chunk.moduleIds.find((id) => id.includes('node_modules/typebox/'))
        if (stray) this.error(`the validator reached the client bundle: ${chunk.fileName} holds ${stray}`)
      }
    },
  }
}
