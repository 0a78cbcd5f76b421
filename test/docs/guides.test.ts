import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Block, blocksOf, follow, makePlace, type Place, type Step } from '../support/guide.ts'
import { partner } from '../support/partners.ts'

/** What is special about a block: of the file, by what it holds with. Every other `sh` block is run as it stands. */
type Exception = { readonly file: string; readonly holds: string } & (
  | { readonly not: string }
  | Omit<Step, 'block'>
)

const EXCEPTIONS: readonly Exception[] = [
  { file: 'README.md', holds: 'npm ci && npm start', serves: 'on' },
  { file: 'README.md', holds: 'npm ci && npm test', not: 'it is these tests' },
  {
    file: 'CONTRIBUTING.md',
    holds: 'npm ci\nnpm run check',
    not: 'it is these tests, and what surrounds them',
  },
  {
    file: 'docs/deploying.md',
    holds: 'docker compose run --rm sandgate init',
    not: 'it needs Docker; `npm run image` runs the same commands in the image',
  },
  { file: 'docs/deploying.md', holds: 'docker compose exec', not: 'it needs Docker' },
  {
    file: 'docs/deploying.md',
    holds: 'docker build -t',
    not: 'it needs Docker; `npm run image` builds the image with buildah',
  },
  { file: 'docs/deploying.md', holds: 'useradd', not: 'it needs systemd, and makes a user of the machine' },
  { file: 'docs/deploying.md', holds: 'kubectl', not: 'it needs a cluster' },
  { file: 'docs/deploying.md', holds: 'nginx -t', not: 'it needs a name and a certificate' },
  { file: 'docs/deploying.md', holds: 'mv data data.newer', stopped: true },
  { file: 'docs/operating.md', holds: 'npm ci && npm run build', serves: 'on' },
  { file: 'docs/operating.md', holds: 'docker compose', not: 'it needs Docker, Prometheus and Grafana' },
  { file: 'docs/operating.md', holds: 'npx --no -- sandgate serve --controllable-clock', serves: 'on' },
  { file: 'docs/operating.md', holds: 'mv data data.broken', stopped: true },
  { file: 'docs/interface.md', holds: 'curency":"XOF', exit: 22 },
  {
    file: 'docs/interface.md',
    holds: '"type": "http',
    not: 'the answer of the block above, which is compared with it',
  },
  {
    file: 'docs/cassettes/reference.md',
    holds: 'sandgate record: without a reply',
    not: 'what a recording prints',
  },
  { file: 'docs/cassettes/reference.md', holds: 'cassette: loaded 9', not: 'what a replay prints' },
  { file: 'docs/cassettes/reference.md', holds: 'CASSETTE MISS', not: 'what a miss prints' },
  { file: 'docs/cassettes/tutorial.md', holds: 'import { randomUUID }', not: 'test/examples runs it' },
  { file: 'docs/reference/cli.md', holds: 'sandgate serve --port 9000', serves: 'alone' },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate data restore backups',
    stopped: true,
    before: 'mv data data.broken',
  },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate cassette show recordings',
    before: [
      'sandgate record --upstream https://sandbox.example.com --out recordings/payments.har -- npm test',
      'cp recordings/payments.har recordings/onboarding.har',
      'for name in old new onboarding payments; do cp recordings/payments.har $name.har; done',
    ].join('\n'),
  },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate cassette import devtools.har',
    before: 'rm recordings/onboarding.har',
  },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate cassette verify recordings',
    before: 'cp recordings/payments.har recordings/onboarding.har',
  },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate cassette prune recordings',
    before: 'sandgate replay recordings/payments.har --ledger ledger.json -- npm test',
  },
  {
    file: 'docs/reference/cli.md',
    holds: 'sandgate token --scopes',
    before: 'export SANDGATE_URL=http://127.0.0.1:8080 SANDGATE_CLIENT_ID=$CLIENT_ID',
  },
  { file: 'docs/reference/configuration.md', holds: 'caps:', not: 'a configuration, which is loaded below' },
  {
    file: 'docs/reference/configuration.md',
    holds: 'outcomes:',
    not: 'a configuration, which is loaded below',
  },
]

/** Guides whose blocks other tests run. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/collections/README.md': 'test/docs/collections.test.ts runs both programs on both collections',
  'docs/interface.fr.md': 'test/docs/interface.test.ts holds them to be those of docs/interface.md',
  'docs/runners.md': 'test/pack runs the recipes whose runners are here, with the installed package',
}

/** In the order in which they are read. */
const CASSETTES = ['docs/cassettes/tutorial.md', 'docs/cassettes/guide.md', 'docs/cassettes/reference.md']

const GUIDES = ['README.md', 'CONTRIBUTING.md', ...markdownIn('docs')]

function markdownIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(directory, name))
}

/** In the reference the form of each command stands before its example. */
const isForm = ({ file, text }: Block) => file === 'docs/reference/cli.md' && /^sandgate [^\n]*\[/.test(text)

const exceptionOf = ({ file, text }: Block) =>
  EXCEPTIONS.find((exception) => exception.file === file && text.includes(exception.holds))

/** The blocks of a guide that are run, in their order. */
function stepsOf(file: string): Step[] {
  return blocksOf(file).flatMap((block) => {
    const exception = exceptionOf(block)
    if (isForm(block) || (exception && 'not' in exception)) return []
    return [{ block, ...exception }]
  })
}

/** What is in no block: `npm start`, which the guide's first sentence says, or a sandbox that is somewhere. */
function serving(file: string, text: string): Step {
  return { block: { file, line: 0, language: 'sh', text }, serves: 'on' }
}

async function expectToWork(place: Place, steps: readonly Step[], env: NodeJS.ProcessEnv = {}) {
  const { failed, outputs } = await follow(place, steps, env)
  expect(failed).toBeUndefined()
  return outputs
}

/** A HAR as a browser saves it: a recording without what only cassettes have. */
function browsersHar(): string {
  const har = JSON.parse(readFileSync('recordings/account-to-payment.har', 'utf8'))
  const strip = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(strip)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).flatMap(([name, value]) => (name.startsWith('_') ? [] : [[name, strip(value)]])),
    )
  }
  return JSON.stringify(strip(har))
}

describe('the code blocks of the guides', () => {
  const blocks = GUIDES.flatMap(blocksOf)

  it('are all run, or say why they are not', () => {
    expect(blocks.length).toBeGreaterThan(100)
    const here = blocks.filter(({ file }) => !(file in ELSEWHERE))
    const unknown = here.filter((block) => block.language !== 'sh' && !isForm(block) && !exceptionOf(block))
    expect(unknown.map(({ file, line }) => `${file}:${line}`)).toEqual([])
    for (const exception of EXCEPTIONS) {
      const meant = blocks.filter((block) => exceptionOf(block) === exception)
      expect(meant, `${exception.file}: ${exception.holds}`).toHaveLength(1)
    }
    const followed = ['README.md', 'CONTRIBUTING.md', 'docs/alerts.md', ...CASSETTES, 'docs/interface.md']
    followed.push('docs/deploying.md', 'docs/operating.md', 'docs/reference/cli.md')
    const others = here.filter(({ file, language }) => language === 'sh' && !followed.includes(file))
    expect(others.map(({ file, line }) => `${file}:${line}`)).toEqual([])
  })

  it('of the README work one after the other', async () => {
    await expectToWork(
      await makePlace('checkout', { isFirstStart: true, runs: 'as-command' }),
      stepsOf('README.md'),
    )
  })

  it('of the guides to operating and deploying and the runbooks do', async () => {
    const place = await makePlace('checkout')
    const line = JSON.stringify({ level: 'info', time: Date.now(), msg: 'request', partner: 'demo' })
    writeFileSync(join(place.directory, 'gateway.log.1.gz'), gzipSync(`${line}\n`))
    const files = ['docs/operating.md', 'docs/alerts.md', 'docs/deploying.md']
    await expectToWork(place, files.flatMap(stepsOf))
  })

  it('of the guide to the interface do', async () => {
    const file = 'docs/interface.md'
    // `npm start` is the README's. What is asked here is what the answers are.
    const demo = partner('demo', { keyId: 'key_demo', secret: DEMO_KEY })
    const started = await startGateway({ partners: [demo], clock: 'system', runs: 'here' })
    const place = await makePlace('empty', { port: Number(new URL(started.url).port) })
    const outputs = await expectToWork(place, stepsOf(file))
    await started.stop()
    const shown = blocksOf(file).find(({ language }) => language === 'json')
    const [, printed = ''] = [...outputs].find(([{ text }]) => text.includes('curency')) ?? []
    const { instance, requestId, type, errors, ...answer } = JSON.parse(printed.split('\n')[0] ?? '')
    const told = JSON.parse(shown?.text ?? '')
    expect(told).toMatchObject(answer)
    expect(told.errors).toEqual([
      { ...errors[0], detail: expect.stringMatching(/^is not known here; the known ones are amount, …$/) },
      errors[1],
    ])
    expect(Object.keys(told)).toEqual(Object.keys(JSON.parse(printed.split('\n')[0] ?? '')))
  })

  it('of the guides to cassettes do, in the project of a partner', async () => {
    const place = await makePlace('empty', { runs: 'as-command' })
    writeFileSync(join(place.directory, 'devtools.har'), browsersHar())
    for (const name of ['before', 'after'])
      copyFileSync('recordings/account-to-payment.har', join(place.directory, `${name}.har`))
    const [first = ''] = CASSETTES
    await expectToWork(place, [serving(first, 'sandgate serve\n'), ...CASSETTES.flatMap(stepsOf)])
  })

  it('of the reference to the command line do', async () => {
    const file = 'docs/reference/cli.md'
    const place = await makePlace('checkout')
    writeFileSync(join(place.directory, 'devtools.har'), browsersHar())
    // The demo key is revoked on the way.
    const partners = join(place.directory, 'config/partners.yaml')
    const [secret, text] = ['sk_sandbox_of_the_tests_of_the_reference', readFileSync(partners, 'utf8')]
    const sha256 = createHash('sha256').update(secret).digest('hex')
    writeFileSync(
      partners,
      text.replace(/^( *)- id: key_demo$/m, `$1- { id: key_tests, sha256: ${sha256} }\n$&`),
    )
    const [alone, ...rest] = stepsOf(file)
    expect(alone?.serves).toBe('alone')
    await expectToWork(place, [...(alone ? [alone] : []), serving(file, 'npm start\n'), ...rest], {
      CLIENT_ID: 'key_tests',
      SANDGATE_CLIENT_SECRET: secret,
    })
  })

  it('that are a configuration are one', () => {
    const directory = temporaryDirectory('configurations')
    const configurations = blocks.filter(({ language }) => language === 'yaml')
    expect(configurations.length).toBeGreaterThan(1)
    for (const { text } of configurations) {
      const file = join(directory, 'sandgate.yaml')
      writeFileSync(file, `${text}partners: []\n`)
      expect(loadConfig({ file, env: {} })).toMatchObject({ ok: true })
    }
  })
})

describe('the CI recipes', () => {
  const CI_PARTNER = partner('ci')

  /** Every text that a job runs, in its order: `run` of GitHub's steps, the items of GitLab's scripts. */
  function scriptsOf(node: unknown): string[] {
    if (typeof node !== 'object' || node === null) return []
    return Object.entries(node).flatMap(([name, value]) => {
      if (name === 'run' && typeof value === 'string') return [value]
      if ((name === 'script' || name === 'before_script') && Array.isArray(value)) return value.map(String)
      return scriptsOf(value)
    })
  }

  /** The sandbox that they record, which is nothing of theirs. */
  let sandbox: Gateway
  beforeAll(async () => {
    sandbox = await startGateway({ partners: [CI_PARTNER], clock: 'system', runs: 'here' })
  })

  it.each(['docs/ci/github-actions.yml', 'docs/ci/gitlab-ci.yml'])('%s works, job by job', async (file) => {
    // The guides to cassettes run the same commands by the command that ships.
    const place = await makePlace('empty', { port: Number(new URL(sandbox.url).port) })
    const scripts = scriptsOf(parseYaml(readFileSync(file, 'utf8')))
    expect(scripts.join('\n')).toMatch(/lint.*replay.*verify/s)
    const record =
      'sandgate record --mode all --upstream https://sandbox.example.com --out recordings/payments.har -- npm test\n'
    const steps = [record, ...scripts].map((text) => ({
      block: { file, line: 0, language: 'sh', text: text.endsWith('\n') ? text : `${text}\n` },
    }))
    // The last line of a job ends its shell.
    const jobs = steps.map(({ block }) => ({
      block: { ...block, text: block.text.replace(/^exit /gm, 'test 0 = ') },
    }))
    const { keyId, secret } = CI_PARTNER
    await expectToWork(place, jobs, { CI: 'true', CLIENT_ID: keyId, SANDGATE_CLIENT_SECRET: secret })
  })
})

describe('the commands in the text of the guides', () => {
  const named = GUIDES.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gms, '')
    return [...text.matchAll(/`sandgate ([^`]+)`/g)].map(([, line = '']) => ({ file, line }))
  })

  it('are commands, with options that they have', () => {
    expect(named.length).toBeGreaterThan(20)
    const wrong = named.filter(({ line }) => {
      const words = line.split(/\s+/).filter((word) => !/^(?:\[|…|\|)/.test(word))
      return parseCommandLine(words, COMMANDS).kind === 'wrong'
    })
    expect(wrong).toEqual([])
  })

  it('link to what is there, headings included', () => {
    const anchorsOf = (file: string) =>
      [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      )
    const dead = GUIDES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .map(([, target = '', anchor]) => ({ target: target ? join(dirname(file), target) : file, anchor }))
        .filter(
          ({ target, anchor }) => !existsSync(target) || (anchor && !anchorsOf(target).includes(anchor)),
        )
        .map(({ target, anchor }) => `${file}: ${target}#${anchor ?? ''}`),
    )
    expect(dead).toEqual([])
  })
})
