import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOf, graph, LAYERS, ROOMS, reaches, readHouse, roomOf } from '../scripts/rooms.ts'
import { ROWS } from '../src/operations/operations.ts'

const house = readHouse()
const { sources, imports, inside } = house
const files = [...sources.keys()]
const floors = (each: typeof LAYERS) =>
  new Map(each.flatMap((floor, index) => Object.keys(floor).map((name) => [name, index])))
const layerOf = floors(LAYERS)
const floorOf = floors(ROOMS)

/** The types and constants of the configuration, which stand below all its readers: they import each other alone. */
const SCHEMA = ['schema', 'schema-parts', 'partners', 'outcomes', 'contract', 'upstream'].map(
  (name) => `config/${name}.ts`,
)

/** Scripts that the portal sends to a browser; they run on another machine. */
const isBrowserScript = (file: string) => /^portal\/(?:[a-z-]+\/)*[a-z-]+-script\.ts$/.test(file)

function layer(file: string): number {
  const found = layerOf.get(folderOf(file))
  if (found === undefined) throw new Error(`src/${file} is in no layer: give its folder a place in LAYERS`)
  return found
}

function floor(file: string): number {
  const found = floorOf.get(roomOf(file))
  if (found === undefined) throw new Error(`src/${file} is in no room: give its folder a place in ROOMS`)
  return found
}

function inCircles(nameOf: (file: string) => string): string[] {
  const edges = graph(house, nameOf)
  return [...edges.keys()].filter((name) => reaches(edges, name, name))
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
    expect(inCircles(folderOf)).toEqual([])
  })

  it('make no circle of files, types included', () => {
    expect(inCircles((file) => file)).toEqual([])
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

describe('a fact of HTTP', () => {
  /** What a copy of it would look like, and the one file where it is written. */
  const FACTS: readonly (readonly [pattern: RegExp, file: string])[] = [
    [/\bdecodeURIComponent\(/, 'http/percent.ts'],
    [/_lane\\?\/(?!NAME)/, 'http/lane.ts'],
    [/x-sandgate-lane['"]/i, 'http/lane.ts'],
    [/['"]~[01]['"]/, 'http/json-pointer.ts'],
    [/https\?:\\\/\\\/\[\^\/\?#\]/, 'http/target.ts'],
    [/\.split\('\?'/, 'http/target.ts'],
    [/-4\[0-9a-f\]\{3\}/, 'http/idempotency-key.ts'],
    [/\^bearer \+/, 'http/authorization.ts'],
    [/\^127|startsWith\('127/, 'http/loopback.ts'],
    [/\.find\(\(\[[a-z]+\]\) => [a-z]+\.toLowerCase\(\) ===/, 'http/header-lines.ts'],
    [/\.split\(';', 1\)\[0\]\??\.trim/, 'http/media-type.ts'],
    [/\$\{(?:[a-z]+\.)?part\} ?\$\{(?:[a-z]+\.)?pointer\}`/, 'cassettes/message/place.ts'],
    [/>>> 1\b/, 'partition-point.ts'],
    [/\\p\{Cc\}\\p\{Cf\}/, 'terminal.ts'],
    [/'code' in \w+ && typeof \w+\.code === 'string'/, 'system-error.ts'],
    [/\brenameSync\(temporary/, 'replace-file.ts'],
  ]

  it.each(FACTS)('like %s is written nowhere but in %s', (pattern, file) => {
    const holders = [...sources].filter(([name, source]) => !isBrowserScript(name) && pattern.test(source))
    expect(holders.map(([name]) => name).filter((name) => name !== file)).toEqual([])
  })
})

describe('the types of the library', () => {
  it('name no package: who has no types of Node or TypeBox can use them', () => {
    const seen = new Set<string>()
    const packages: string[] = []
    const read = (module: string) => {
      if (seen.has(module)) return
      seen.add(module)
      const text = readFileSync(`dist/${module}.d.ts`, 'utf8')
      for (const [, from = ''] of text.matchAll(/(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g)) {
        if (from.startsWith('.')) read(join(dirname(module), from.replace(/\.ts$/, '')))
        else packages.push(`${module}: ${from}`)
      }
      if (/\bBuffer\b|\bNodeJS\b/.test(text)) packages.push(`${module}: Node`)
    }
    read('sandgate')
    expect(seen.size).toBeGreaterThan(4)
    expect(packages).toEqual([])
  })
})

describe('the thread in which a recording is written', () => {
  /** What is loaded with a file: itself, and what it imports for more than its types, and so on. */
  function loadedWith(file: string, seen = new Set<string>()): Set<string> {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const each of inside) if (each.file === file && !each.typeOnly) loadedWith(each.target, seen)
    return seen
  }

  const modules = loadedWith('cassettes/writer/thread.ts')

  it('loads neither the contract nor TypeBox, which would be most of its start', () => {
    // Of the rooms below the cassettes each file, since in some of them the contract is a file beside it.
    const shown = (file: string) => {
      if (folderOf(file) === 'cassettes') return `cassettes/${roomOf(file)}`
      return folderOf(file) === 'http' ? 'http' : file
    }
    expect([...new Set([...modules].map(shown))].sort()).toEqual([
      'cassettes/bindings',
      'cassettes/cassette-error.ts',
      'cassettes/file',
      'cassettes/interaction.ts',
      'cassettes/merging',
      'cassettes/message',
      'cassettes/no-reply.ts',
      'cassettes/redaction',
      'cassettes/writer',
      'clock.ts',
      'config/contract.ts',
      'http',
      'map-entries.ts',
      'partition-point.ts',
      'replace-file.ts',
      'simulator/rules.ts',
      'system-error.ts',
      'tokens/basic.ts',
      'tokens/client-id.ts',
    ])
    const packages = imports
      .filter(({ file, from, typeOnly }) => modules.has(file) && !from.startsWith('.') && !typeOnly)
      .map(({ from }) => from)
    expect(packages.filter((from) => !from.startsWith('node:'))).toEqual([])
  })
})

describe('the checks', () => {
  it('are pure: no file, no socket, no server, no logger, no store', () => {
    const allowed = new Set([
      'node:crypto',
      'node:buffer',
      'node:net',
      'ipaddr.js',
      'typebox',
      'typebox/compile',
      'typebox/system',
    ])
    const others = imports
      .filter(({ file, from, typeOnly }) => folderOf(file) === 'checks' && !from.startsWith('.') && !typeOnly)
      .filter(({ from }) => !allowed.has(from))
    expect(others).toEqual([])
    const ours = inside.filter(({ file, typeOnly }) => folderOf(file) === 'checks' && !typeOnly)
    const folders = new Set(ours.map(({ target }) => folderOf(target)))
    expect([...folders].sort()).toEqual(['checks', 'clock.ts', 'errors', 'growing-cache.ts', 'http'])
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
    'cli/sandbox-client.ts': '{ Client }', // `cassette verify` asks the sandbox that it is given
    'cli/operator-client.ts': '{ Agent }', // asks the gateway of a data directory, or its operator listener
    'cli/child-process.ts': '{ spawn }', // runs the command after `--`
    'gateway/partner-server.ts': 'http', // listens
    'gateway/raw-replies.ts': '{ Socket }', // answers on a connection that the parser gave up
    'upstream/client.ts': '{ buildConnector, Pool }', // the one client of those below
    'store/owner-socket.ts': '{ connect, createServer, type Server, type Socket }', // a socket in the data directory
    'program-thread.ts': '{ Worker }', // the recorder writes in a thread, and a large configuration is read in one
    'config/load-thread.ts': '{ parentPort, workerData }',
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

  /** Who has the one client, and whom it may reach: only addresses that an operator has written down. */
  const ASKERS: Readonly<Record<string, string>> = {
    'upstream/send.ts': '`record`: the sandbox that it is given, and the player of the recorder',
    'upstream/fetch-text.ts': 'the keys of `tokens.trustedIssuers`',
    'decisions/upstream.ts': '`upstream.url`',
    'start/deciders.ts': '`upstream.auth.tokenUrl`',
  }

  it('is reached through the one client by a few files only, for addresses of the operator', () => {
    const users = [...sources].filter(
      ([file, source]) => /\bcreateClient\(/.test(source) && file !== 'upstream/client.ts',
    )
    expect(users.map(([file]) => file).sort()).toEqual(Object.keys(ASKERS).sort())
  })

  it('is asked for nothing else: no other request leaves the gateway', () => {
    const asking =
      /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource)\s*\(|\bhttps?\.(?:request|get|Agent)\b|\bsendBeacon\b|globalThis\.fetch/
    const askers = [...sources]
      .filter(([file]) => !isBrowserScript(file))
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
