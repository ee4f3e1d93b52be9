// Names commands in messages. Runs before packages are installed, so it imports nothing.

/**
 * Returns the command line of an npm script as it is typed where the site is installed: `npm run studio -- order list`,
 * or `cliffhanger studio order list` in the container image and with systemd, where npm may be missing. The image and
 * the systemd units set OPERATOR_COMMAND to `cliffhanger`.
 * @param {string} script
 * @param {string} [args]
 */
export function commandLineOf(script, args = '') {
  const program = process.env['OPERATOR_COMMAND']
  const isStart = script === 'start'
  if (program !== undefined)
    return `${isStart ? 'node scripts/start.mjs' : `${program} ${script}`} ${args}`.trimEnd()
  const command = isStart || script === 'test' ? `npm ${script}` : `npm run ${script}`
  return args === '' ? command : `${command} -- ${args}`
}
