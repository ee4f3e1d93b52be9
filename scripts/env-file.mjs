// Reads the settings in `.env`, as Docker Compose does.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

/**
 * Adds the settings of a file to the environment. Existing environment variables take precedence.
 * @param {string} root folder of the checkout with `.env`. ENV_FILE names another file; if it is empty, no file is read
 * @param {NodeJS.ProcessEnv} [env]
 * @throws Error if the file cannot be read, or if the file that ENV_FILE names does not exist
 */
export function loadEnvFile(root, env = process.env) {
  if (env.ENV_FILE === '') return
  const path = resolve(root, env.ENV_FILE ?? '.env')
  let content
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' && env.ENV_FILE === undefined) return
    throw new Error(`The settings in ${path} can't be read (${error.code}).`, { cause: error })
  }
  const fromFile = []
  for (const [name, value] of Object.entries(parseEnv(content))) {
    if (env[name] !== undefined) continue
    env[name] = value
    fromFile.push(name)
  }
  // `npm run config` uses this to show which settings come from the file.
  env.ENV_FILE_SETTINGS = fromFile.join(',')
}
