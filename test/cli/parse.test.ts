import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'

const parse = (text: string) => parseCommandLine(text === '' ? [] : text.split(' '), COMMANDS)

describe('a command line', () => {
  it('names a command of one word or two, with options and arguments in any order', () => {
    expect(parse('serve --port 9000 --controllable-clock --store=memory')).toMatchObject({
      kind: 'run',
      invocation: {
        command: { name: 'serve' },
        options: { port: '9000', 'controllable-clock': true, store: 'memory' },
      },
    })
    expect(parse('config check some.yaml')).toMatchObject({
      kind: 'run',
      invocation: { command: { name: 'config check' }, args: ['some.yaml'] },
    })
  })

  it('takes a value that begins with a dash after an equals sign', () => {
    expect(parse('serve --data=-x')).toMatchObject({ invocation: { options: { data: '-x' } } })
  })

  it.each(['serve --help', 'serve --port 1 -h', 'help serve', 'serve --port 1 --help'])(
    '%s shows help',
    (text) => {
      expect(parse(text)).toMatchObject({
        kind: 'help',
        text: expect.stringContaining('--operator-port PORT'),
      })
    },
  )

  it.each(['--help', '-h', 'help'])('%s lists the commands and the exit codes', (text) => {
    const parsed = parse(text)
    expect(parsed).toMatchObject({
      kind: 'help',
      text: expect.stringMatching(/config check[\s\S]*Exit codes/),
    })
  })
})

describe('what there is', () => {
  it.each(['cassette --help', 'cassette -h', 'help cassette', 'cassette help'])(
    '%s shows the commands of the group, and no others',
    (text) => {
      const parsed = parse(text)
      expect(parsed).toMatchObject({ kind: 'help', text: expect.stringContaining('cassette lint') })
      expect('text' in parsed && parsed.text).not.toContain('signing-keys')
    },
  )

  it('has help for every group', () => {
    for (const { name } of COMMANDS.filter((command) => command.name.includes(' ')))
      expect(parse(`${name.split(' ')[0]} --help`)).toMatchObject({
        kind: 'help',
        text: expect.stringContaining(`  ${name} `),
      })
  })

  it('is shown where nothing or half a command is typed, which is not done with', () => {
    expect(parse('')).toMatchObject({
      kind: 'incomplete',
      text: expect.stringMatching(/front door[\s\S]*sandgate serve[\s\S]*sandgate --help/),
    })
    expect(parse('keys')).toMatchObject({ kind: 'incomplete', text: expect.stringContaining('keys revoke') })
  })

  it.each(['--version', '-V'])('%s is the version', (text) => {
    expect(parse(text)).toEqual({ kind: 'version' })
  })

  it('says what an argument names, where a command has help on that', () => {
    const asked = { kind: 'help-on', command: { name: 'call' }, args: ['payments.fund'] }
    expect(parse('call payments.fund --help')).toMatchObject(asked)
    expect(parse('help call payments.fund')).toMatchObject(asked)
    expect(parse('call --help')).toMatchObject({ kind: 'help' })
  })
})

describe('a command that runs another one', () => {
  const replay: Command = {
    name: 'replay',
    summary: '',
    args: ['FILE...'],
    runsChild: true,
    options: { port: { value: 'PORT', summary: '' } },
    example: '',
    load: () => Promise.reject(new Error('not loaded')),
  }
  const parseReplay = (text: string) => parseCommandLine(text.split(' '), [replay])

  it('takes any number of files, and leaves every word after -- to the other', () => {
    expect(parseReplay('replay a.har --port 1 b.har -- npm test --help -- --port')).toMatchObject({
      kind: 'run',
      invocation: {
        args: ['a.har', 'b.har'],
        options: { port: '1' },
        child: ['npm', 'test', '--help', '--', '--port'],
      },
    })
    expect(parseReplay('replay a.har')).toMatchObject({ invocation: { child: [] } })
  })

  it('shows both in its usage, and wants a command after --', () => {
    expect(parseReplay('replay a.har --')).toEqual({
      kind: 'wrong',
      message:
        'sandgate replay: a command must follow --; usage: sandgate replay [OPTIONS] [FILE...] [-- COMMAND...]',
    })
  })
})

describe('a wrong command line is answered in one line that says what to do', () => {
  it.each([
    ['srve', 'sandgate: there is no command "srve"; did you mean serve?'],
    ['frobnicate', 'sandgate: there is no command "frobnicate"; sandgate --help lists the commands'],
    ['config chek', 'sandgate: there is no command "config chek"; did you mean config check?'],
    ['casette show', 'sandgate: there is no command "casette"; did you mean cassette show?'],
    ['cassete', 'sandgate: there is no command "cassete"; did you mean cassette?'],
    ['data wipe', 'sandgate: there is no command "data wipe"; sandgate data --help lists the commands'],
    ['--verison', 'sandgate: there is no option --verison; did you mean --version?'],
    ['--port 1', 'sandgate: there is no option --port; options follow a command: sandgate COMMAND [OPTIONS]'],
    [
      'replay --profile strct',
      'sandgate replay: --profile is contract or strict, not strct; did you mean strict?',
    ],
    [
      'record --mode al',
      'sandgate record: --mode is one of none, once, new_episodes, all, not al; did you mean all?',
    ],
    ['call -x', 'sandgate call: there is no option -x; sandgate call --help lists them'],
    ['serve --prot 1', 'sandgate serve: there is no option --prot; did you mean --port?'],
    [
      'serve --operatorport 1',
      'sandgate serve: there is no option --operatorport; did you mean --operator-port?',
    ],
    ['serve -x', 'sandgate serve: there is no option -x; sandgate serve --help lists them'],
    ['serve --__proto__', 'sandgate serve: there is no option --__proto__; sandgate serve --help lists them'],
    ['serve --port', 'sandgate serve: --port needs a value: --port PORT'],
    ['serve --port=', 'sandgate serve: --port needs a value: --port PORT'],
    ['serve --config --port 1', 'sandgate serve: --config needs a value: --config FILE'],
    ['serve --controllable-clock=yes', 'sandgate serve: --controllable-clock takes no value'],
    ['serve now', 'sandgate serve: "now" is one argument too many; usage: sandgate serve [OPTIONS]'],
    [
      'config check a b',
      'sandgate config check: "b" is one argument too many; usage: sandgate config check [FILE]',
    ],
    ['config check --x', 'sandgate config check: there is no option --x; it takes none'],
  ])('%s', (text, message) => {
    const parsed = parse(text)
    expect(parsed.kind).toBe('wrong')
    if (parsed.kind !== 'wrong') return
    expect(parsed.message.slice(0, message.length)).toBe(message)
    expect(parsed.message.length, 'not a list of everything').toBeLessThan(160)
    expect(parsed.message).not.toContain('\n')
  })
})
