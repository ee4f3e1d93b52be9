import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { confirmCommand, type Prompt } from './confirm-command.ts'
import { parseArguments } from './parse-arguments.ts'
import { formatResult as words } from './format-result.ts'
import { runCommandLine } from './command-line.ts'
import { createStudioProgram, type ParsedCommand } from './studio-program.ts'
import { exitReportOf } from '#server/platform/config/config-error.ts'
import { Command } from 'commander'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'cliffhanger-cli-'))
})
afterAll(() => rmSync(home, { recursive: true }))

interface Ran {
  status: number | null
  stdout: string
  stderr: string
  /** The contents of the site's folder after the command. */
  made: string[]
}

const dataDir = () => join(home, 'data')
const contents = () => (existsSync(dataDir()) ? readdirSync(dataDir()) : [])

/** Runs the command line as npm does, in a folder without a site. */
function run(...args: string[]): Ran {
  const env = { ...process.env, DATA_DIR: dataDir(), DATABASE_URL: '', INIT_CWD: home }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server/cli.ts', ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr, made: contents() }
}

/** Runs the command line in this process, because a new process takes a second to load the site. */
async function runHere(...args: string[]): Promise<Ran> {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const { status, text } = await runCommandLine(args, {
    env: { DATA_DIR: dataDir(), INIT_CWD: home },
    stopSignal: () => new AbortController().signal,
  }).then((ended) => ({ status: ended, text: '' }), exitReportOf)
  const stdout = printed.mock.calls.map(([chunk]) => String(chunk)).join('')
  printed.mockRestore()
  return { status, stdout, stderr: text, made: contents() }
}

const helped = { status: 0, stderr: '', made: [] }
const refused = { status: 2, stdout: '', made: [] }

describe('the command line', () => {
  it.each([
    ['backup', '--help'],
    ['restore', '--help'],
    ['import', '--help'],
    ['forward', '-h'],
    ['move', '--help'],
    ['studio', '--help'],
    ['studio'],
    ['studio', 'order', '--help'],
    ['studio', 'order', 'refund', '--help'],
    ['studio', '--version'],
  ])('answers %s %s %s on stdout with status 0, and creates nothing', async (...args) => {
    const { stdout, ...rest } = await runHere(...args)
    expect(stdout).toMatch(args.includes('--version') ? /^\d+\.\d+\.\d+\n$/ : /^Usage: npm run /)
    expect(rest).toEqual(helped)
    expect(readdirSync(home)).toEqual([])
  })

  it.each([
    [['backup', '--hlp'], '--help'],
    [['backup'], 'folder'],
    [['restore', 'one', 'two'], 'too many arguments'],
    [['studio', 'ordr', 'list'], 'order'],
    [['studio', 'order', 'list', '--status', 'payd'], 'pending, paid, failed'],
    [['studio', 'operator', 'set-role', 'a@example.com', 'boss'], 'owner, editor, support, analyst'],
    [['studio', 'analytics', 'funnel'], '--by'],
    [['studio', 'order', 'refund', 'ord_1'], '--reason'],
    [['studio', 'order', 'refund', 'ord_1', '--reason', 'goodwill'], '--yes'],
  ])('refuses %j with status 2, and names the mistake or the valid choices', async (args, hint) => {
    const { stderr, ...rest } = await runHere(...args)
    expect(stderr).toContain(hint)
    expect(rest).toEqual(refused)
  })

  it.each([
    ['studio', 'operator', 'list'],
    ['backup', 'copy'],
    ['import', 'videos'],
    ['forward', '1d'],
    ['move'],
  ])('refuses %s %s if there is no site, and does not create one', async (...args) => {
    const { status, stderr, made } = await runHere(...args)
    expect(stderr).toContain('There is no site in')
    expect({ status, made }).toEqual({ status: 1, made: [] })
    expect(readdirSync(home)).toEqual([])
  })

  it('prints answers on stdout and refusals on stderr, each with its exit status', () => {
    const { stdout, ...rest } = run('studio', 'order', 'refund', '--help')
    expect(stdout).toMatch(/^Usage: npm run studio /)
    expect(rest).toEqual(helped)
    const { stderr, ...others } = run('studio', 'order', 'refund', 'ord_1')
    expect(stderr).toMatch(/^[^\n]*--reason[^\n]*\n$/)
    expect(others).toEqual(refused)
    expect(run('studio', 'operator', 'list')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^There is no site in [^\n]*\n$/) as string,
      made: [],
    })
    expect(readdirSync(home)).toEqual([])
  })

  it('ends silently if the reader of its output closes the pipe', () => {
    const line = `"${process.execPath}" server/cli.ts studio order list --help | true; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' })
  })
})

describe('the completion in Bash', () => {
  let script: string
  beforeAll(async () => {
    script = (await runHere('completion')).stdout
  })

  /** Returns the completions of the last word. */
  const offeredFor = (...words: string[]) => {
    const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cliffhanger; echo "\${COMPREPLY[*]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', 'cliffhanger', ...words], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout.trim()
  }

  it.each([
    [['ba'], 'backup'],
    [['mi'], 'migrate'],
    [['studio', 'ord'], 'order'],
    [['studio', 'order', 're'], 'refund'],
    [['studio', 'order', 'list', '--st'], '--status'],
    [['studio', 'order', 'list', '--status', 'pa'], 'paid partially_refunded'],
    [['studio', 'order', 'list', '--status', 'paid', '--g'], '--gateway'],
    [['studio', 'operator', 'set-role', 'a@example.com', 'ed'], 'editor'],
    [['backup', 'fol'], ''],
  ])('completes %j with "%s"', (words, offered) => {
    expect(offeredFor(...words)).toBe(offered)
  })
})

/** Parses a command line. */
function ask(...args: string[]): ParsedCommand {
  let parsed: ParsedCommand | undefined
  const program = createStudioProgram((each) => {
    parsed = each
  })
  parseArguments(new Command('site').addCommand(program), ['studio', ...args])
  if (!parsed) throw new Error('the command line has no command')
  return parsed
}
const inputOf = ({ invocation }: ParsedCommand) => ('command' in invocation ? invocation.input : {})

describe('the standard codes of French and German', () => {
  it.each([
    ['text show contactUs de', { name: 'contactUs', language: 'dy' }],
    ['languages set --languages fr --languages de --languages en', { languages: ['fy', 'dy', 'en'] }],
    ['video edit v1 --titles.de Nacht --titles.en Night', { id: 'v1', titles: { dy: 'Nacht', en: 'Night' } }],
    ['tag change t1 --names.fr Amour', { id: 't1', names: { fy: 'Amour' } }],
    [
      'category change c1 --names.de Liebe --names.fy Amour',
      { id: 'c1', names: { dy: 'Liebe', fy: 'Amour' } },
    ],
    ['plan change p1 --names.en Week --names.de Woche', { id: 'p1', names: { en: 'Week', dy: 'Woche' } }],
  ])("are converted to the site's codes: %s", (line, input) => {
    expect(inputOf(ask(...line.split(' ')))).toEqual(input)
  })

  it('are converted wherever a command has a language field', () => {
    const leaves = (command: Command): Command[] =>
      command.commands.length > 0 ? command.commands.flatMap(leaves) : [command]
    for (const leaf of leaves(createStudioProgram(() => {}))) {
      const names = leaf.options.map(({ long }) => long ?? '')
      for (const name of names.filter((each) => each.endsWith('.dy')))
        expect(names, leaf.name()).toContain(name.replace(/dy$/, 'de'))
      for (const { argChoices, parseArg } of [...leaf.options, ...leaf.registeredArguments])
        if (argChoices?.includes('fy'))
          expect([parseArg?.('fr', undefined)].flat(), leaf.name()).toEqual(['fy'])
    }
  })

  it('are not listed in the refusal of an unknown code', () => {
    expect(() => ask('text', 'show', 'contactUs', 'it')).toThrow('en, es, fy, dy, pt')
  })
})

describe('a command that cannot be undone', () => {
  const answering =
    (...answers: string[]): Prompt =>
    async () =>
      answers.shift() ?? ''

  it('prompts for its reason and for confirmation', async () => {
    const parsed = ask('order', 'refund', 'ord_1')
    expect(await confirmCommand(parsed, answering('goodwill', 'y'))).toBe(true)
    expect(inputOf(parsed)).toEqual({ id: 'ord_1', reason: 'goodwill' })
    expect(await confirmCommand(ask('order', 'refund', 'ord_1'), answering('goodwill', ''))).toBe(false)
  })

  it('runs in a script that gives the reason and --yes as options', async () => {
    const parsed = ask('customer', 'delete', 'usr_1', '--reason', 'they asked', '--yes')
    expect(await confirmCommand(parsed, undefined)).toBe(true)
  })

  it('is refused without confirmation, unlike a command that only reads', async () => {
    const irreversible = ask('customer', 'delete', 'usr_1', '--reason', 'they asked')
    await expect(confirmCommand(irreversible, undefined)).rejects.toThrow('confirm it with --yes')
    expect(await confirmCommand(ask('order', 'list'), undefined)).toBe(true)
  })
})

describe('an answer in text format', () => {
  it('shows a list as a table with headers, with amounts in units of their currency', () => {
    const list = [
      { id: 'ord_1', amount_cents: 499, currency: 'USD', refunded_cents: 0, email: null },
      { id: 'ord_20', amount_cents: 9900, currency: 'JPY', refunded_cents: 100, email: 'a@example.com' },
    ]
    expect(words({ list, next_cursor: 'abc' }).split('\n')).toEqual([
      'ID      AMOUNT  CURRENCY  REFUNDED  EMAIL',
      'ord_1   $4.99   USD       $0.00     –',
      'ord_20  ¥99     JPY       ¥1        a@example.com',
      '(more: --cursor abc)',
    ])
  })

  it('lists the fields of a record, with the net amount of each currency', () => {
    const revenue = [
      { currency: 'USD', gross_cents: 198, net_cents: 99 },
      { currency: 'EUR', gross_cents: 100, net_cents: 100 },
    ]
    expect(words({ name: 'Poster', price: { episode_cents: 99, currency: 'USD' }, revenue })).toBe(
      'name: Poster\nprice: {"episode_cents":99,"currency":"USD"}\nrevenue: $0.99 + €1.00',
    )
    expect(words({ list: [] })).toBe('No results.')
  })
})
