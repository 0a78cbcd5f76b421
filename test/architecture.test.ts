import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROWS } from '../src/operations/operations.ts'

/** From the top to the bottom: a folder imports from its own layer and the ones below, never from above. */
const LAYERS = [
  ['cli', 'sandgate.ts'],
  ['start'],
  ['gateway', 'recorder'],
  ['checks', 'decisions', 'portal'],
  ['cassettes'],
  ['operations', 'observe'],
  ['tokens', 'store', 'simulator', 'upstream'],
  ['config', 'errors'],
  [
    'http',
    'clock.ts',
    'partition-point.ts',
    'product.ts',
    'replace-file.ts',
    'system-error.ts',
    'terminal.ts',
  ],
] as const
const layerOf = new Map<string, number>(LAYERS.flatMap((names, layer) => names.map((name) => [name, layer])))

/** The rooms of `cassettes`, from the top to the bottom: each imports only from those below it. */
const ROOMS = [
  ['writer'],
  ['tools'],
  ['tape'],
  ['verify', 'miss'],
  ['merging'],
  ['file'],
  ['matching'],
  ['redaction'],
  ['bindings'],
  ['message'],
  ['interaction.ts', 'cassette-error.ts'],
] as const
const floorOf = new Map<string, number>(ROOMS.flatMap((names, floor) => names.map((name) => [name, floor])))

/** The types and constants of the configuration, which stand below all its readers: they import each other alone. */
const SCHEMA = ['schema', 'schema-parts', 'partners', 'outcomes', 'contract'].map(
  (name) => `config/${name}.ts`,
)

/** Scripts that the portal sends to a browser; they run on another machine. */
const isBrowserScript = (file: string) => /^portal\/[a-z-]+-script\.ts$/.test(file)

type Import = {
  readonly file: string
  readonly from: string
  readonly names: string
  readonly typeOnly: boolean
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(join('src', file), 'utf8')]))
const imports: readonly Import[] = [...sources].flatMap(([file, source]) => importsOf(file, source))
const inside = imports
  .filter(({ from }) => from.startsWith('.'))
  .map((each) => ({ ...each, target: normalize(join(dirname(each.file), each.from)) }))

function importsOf(file: string, source: string): Import[] {
  const statements = source.matchAll(/^(?:import|export)\s+(type\s)?([^'";]*?)\sfrom\s+'([^']+)'/gm)
  const others = source.matchAll(/(?:\bimport\(|^import\s+|\brequire\()['"]([^'"]+)['"]/gm)
  return [
    ...[...statements].map(([, type, names = '', from = '']) => ({
      file,
      from,
      names,
      typeOnly: type !== undefined || isAllTypes(names),
    })),
    ...[...others].map(([, from = '']) => ({ file, from, names: '*', typeOnly: false })),
  ]
}

function isAllTypes(names: string): boolean {
  const listed = /^\{([^}]*)\}$/s.exec(names.trim())?.[1]
  return listed?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) ?? false
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? file
}

function layer(file: string): number {
  const found = layerOf.get(folderOf(file))
  if (found === undefined) throw new Error(`src/${file} is in no layer: give its folder a place in LAYERS`)
  return found
}

function roomOf(file: string): string {
  return file.split('/')[1] ?? file
}

function floor(file: string): number {
  const found = floorOf.get(roomOf(file))
  if (found === undefined) throw new Error(`src/${file} is in no room: give its folder a place in ROOMS`)
  return found
}

/** Those of `names` from which `edges` lead back to themselves. */
function inCircles(names: Iterable<string>, edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      return reaches(next, to, seen.add(next))
    })
  return [...names].filter((name) => reaches(name, name))
}

/** Who imports whom, types included; `nameOf` may be coarser than a file. */
function graph(nameOf: (file: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const { file, target } of inside) {
    const [from, to] = [nameOf(file), nameOf(target)]
    if (from !== to || file === target) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  }
  return edges
}

describe('imports', () => {
  it('are found at all', () => {
    expect(inside.length).toBeGreaterThan(100)
    for (const { target } of inside) expect(sources.has(target), target).toBe(true)
  })

  it('go one way, from the command line down to HTTP and the clock', () => {
    const upward = inside
      .filter((each) => layer(each.file) > layer(each.target))
      .map(({ file, target }) => `src/${file} imports src/${target}`)
    expect(upward).toEqual([])
  })

  it('go one way between the rooms of the cassettes', () => {
    const upward = inside
      .filter(({ file, target }) => folderOf(file) === 'cassettes' && folderOf(target) === 'cassettes')
      .filter((each) => floor(each.file) > floor(each.target))
      .map(({ file, target }) => `src/${file} imports src/${target}`)
    expect(upward).toEqual([])
  })

  it('make no circle of folders', () => {
    const edges = graph(folderOf)
    expect(inCircles(edges.keys(), edges)).toEqual([])
  })

  it('make no circle of files, types included', () => {
    const edges = graph((file) => file)
    expect(inCircles(edges.keys(), edges)).toEqual([])
  })

  it('of the facts of HTTP lead nowhere in the project', () => {
    const outward = inside.filter(
      ({ file, target }) => folderOf(file) === 'http' && folderOf(target) !== 'http',
    )
    expect(outward).toEqual([])
  })

  it('of the schema of the configuration lead nowhere in the project', () => {
    const outward = inside.filter(({ file, target }) => SCHEMA.includes(file) && !SCHEMA.includes(target))
    expect(outward).toEqual([])
  })

  it('name no barrel', () => {
    expect(files.filter((file) => /(^|\/)index\.ts$/.test(file))).toEqual([])
  })
})

describe('the checks', () => {
  it('are pure: no file, no socket, no server, no logger, no store', () => {
    const allowed = new Set([
      'node:crypto',
      'node:buffer',
      'node:net',
      'typebox',
      'typebox/compile',
      'typebox/system',
    ])
    for (const name of ['ipaddr.js', 'lru-cache']) allowed.add(name)
    const others = imports
      .filter(({ file, from, typeOnly }) => folderOf(file) === 'checks' && !from.startsWith('.') && !typeOnly)
      .filter(({ from }) => !allowed.has(from))
    expect(others).toEqual([])
    const ours = inside.filter(({ file, typeOnly }) => folderOf(file) === 'checks' && !typeOnly)
    const folders = new Set(ours.map(({ target }) => folderOf(target)))
    expect([...folders].sort()).toEqual(['checks', 'clock.ts', 'errors', 'http'])
  })
})

describe('an operation', () => {
  it('is named by its own row alone: no id or path of one stands in the gateway, the recorder, the cassettes or the start', () => {
    // `widget.` and `.list` name operations as well, by a part of their id.
    const ids = ROWS.flatMap(({ id, path }) => [
      id,
      path,
      ...id.split('.').flatMap((part) => [`${part}.`, `.${part}`]),
    ])
    const named = new Set(ids)
    const rooms = new Set([
      'gateway',
      'recorder',
      'cassettes',
      'start',
      'upstream',
      'decisions',
      'checks',
      'observe',
    ])
    const found = [...sources]
      .filter(([file]) => rooms.has(folderOf(file)))
      .flatMap(([file, source]) =>
        [...withoutComments(source).matchAll(/(['"`])([A-Za-z0-9/.{}-]+)\1/g)].flatMap(([, , text = '']) =>
          named.has(text) ? [`${file}: ${text}`] : [],
        ),
      )
    expect(found).toEqual([])
  })
})

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')
}

describe('the thread that writes recordings', () => {
  /** Everything that a file loads when it is imported. */
  function loadedBy(file: string): { ours: Set<string>; packages: Set<string> } {
    const [ours, packages] = [new Set([file]), new Set<string>()]
    for (const each of ours)
      for (const { from, typeOnly, file: importer } of imports.filter((one) => one.file === each)) {
        if (typeOnly) continue
        if (from.startsWith('.')) ours.add(normalize(join(dirname(importer), from)))
        else packages.add(from)
      }
    return { ours, packages }
  }

  it('loads neither the operations nor TypeBox: what it needs of them comes as data', () => {
    const { ours, packages } = loadedBy('cassettes/writer/thread.ts')
    expect(ours.has('cassettes/redaction/redactor.ts')).toBe(true)
    expect([...ours].filter((file) => folderOf(file) === 'operations')).toEqual([])
    expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([])
  })
})

describe('time', () => {
  it('is read from the injected clock alone', () => {
    // The log has the wall clock's time even when the gateway's own clock has been moved.
    const allowed = new Set(['clock.ts', 'observe/logger.ts', 'observe/metrics.ts'])
    const readers = [...sources]
      .filter(([file]) => !allowed.has(file) && !isBrowserScript(file))
      .filter(([, source]) => /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/.test(source))
    expect(readers.map(([file]) => file)).toEqual([])
  })
})

describe('the network', () => {
  /** Names that open no connection. */
  const HARMLESS = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'STATUS_CODES', 'METHODS'])
  const NETWORK =
    /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises|child_process|worker_threads|cluster|inspector)$|^undici$/
  /** Who may use it, and what for. A registered webhook URL is contacted by none of them. */
  const USERS: Readonly<Record<string, string>> = {
    'cli/cassette-send.ts': '{ Client }', // `cassette verify` asks the sandbox that it is given
    'cli/child-command.ts': '{ spawn }', // runs the command after `--`
    'gateway/partner-server.ts': 'http', // listens
    'gateway/raw-replies.ts': '{ Socket }', // answers on a connection that the parser gave up
    'upstream/send.ts': '{ Pool }', // `record` passes requests on to the sandbox that it is given
    'store/ownership.ts': '{ connect, createServer, type Server }', // a socket in the data directory
    'cassettes/writer/writer.ts': '{ Worker }', // the recorder writes in a thread of its own
    'cassettes/writer/thread.ts': '{ parentPort, workerData }',
  }

  it('is used by a few files only, each for a reason', () => {
    const users = imports
      .filter(({ from, typeOnly }) => NETWORK.test(from) && !typeOnly)
      .filter(({ names }) => names.split(/[{},]/).some((name) => name.trim() && !isHarmless(name.trim())))
    const described = users.map(({ file, names }) => [file, withoutTypes(names)])
    const expected = Object.entries(USERS).map(([file, names]) => [file, withoutTypes(names)])
    expect(described.sort()).toEqual(expected.sort())
  })

  function isHarmless(name: string): boolean {
    return name.startsWith('type ') || HARMLESS.has(name)
  }

  function withoutTypes(names: string): string {
    const kept = names.split(/[{},]/).map((name) => name.trim())
    return kept.filter((name) => name !== '' && !isHarmless(name)).join(', ')
  }

  it('is never asked for anything: no request leaves the gateway', () => {
    // A command that is not the gateway: it asks the operator listener that its configuration names.
    const allowed = new Set(['cli/operator-client.ts'])
    const asking =
      /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource)\s*\(|\bhttps?\.(?:request|get|Agent)\b|\bsendBeacon\b|globalThis\.fetch/
    const askers = [...sources]
      .filter(([file]) => !isBrowserScript(file) && !allowed.has(file))
      .filter(([, source]) => asking.test(source))
    expect(askers.map(([file]) => file)).toEqual([])
  })

  it('is never asked by a browser script for anything but its own origin', () => {
    for (const [file, source] of sources) {
      if (!isBrowserScript(file)) continue
      for (const [, argument] of source.matchAll(/\bfetch\(([^,)]+)/g))
        expect(argument, file).toMatch(/^(base \+ )?'\/|^base \+|^[a-z]+$/)
    }
  })
})
