import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { oneFile } from './one-file.mjs'
import { quickAssertions } from './quick-assertions.mjs'

/** Everything, as CommonJS: see docs/decisions/0048-one-bundle.md. */
const BUNDLE = 'dist/sandgate.cjs'
/** What `import` and `require` of the package find; `main`, `types` and `exports` of package.json name its files. */
const LIBRARY = 'dist/library'
const NAMES = ['CassetteError', 'record', 'replay']

/** Packages, by their exact name, and what is bundled in their place. */
const SMALLER = {
  undici: 'scripts/bundled/undici.cjs',
  '@fastify/ajv-compiler': 'scripts/bundled/unused.cjs',
  '@fastify/fast-json-stringify-compiler': 'scripts/bundled/unused.cjs',
  'light-my-request': 'scripts/bundled/unused.cjs',
}

const { text, inputs } = await oneFile(
  'scripts/bundled/entries.ts',
  {
    // Native code, and what is looked up by its files.
    external: ['lmdb', 'pino-pretty'],
    plugins: [
      quickAssertions,
      { name: 'smaller', setup: (build) => Object.entries(SMALLER).map((each) => replace(build, ...each)) },
    ],
    define: { 'import.meta.url': 'sandgateModuleUrl' },
    legalComments: 'none',
    logLevel: 'warning',
  },
  'const sandgateModuleUrl=require("node:url").pathToFileURL(__filename).href;',
)
write(BUNDLE, text)
write('dist/third-party.txt', notices(inputs))

function replace(build, name, file) {
  build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: resolve(file) }))
}

// What earlier builds left would be packed as well.
rmSync('dist/chunks', { recursive: true, force: true })
rmSync(LIBRARY, { recursive: true, force: true })

const list = NAMES.join(', ')
write(
  `${LIBRARY}/sandgate.cjs`,
  `const { ${list} } = require('../sandgate.cjs')\nmodule.exports = { ${list} }\n`,
)
write(`${LIBRARY}/sandgate.mjs`, `${required('../sandgate.cjs')}export const { ${list} } = sandgate\n`)
write(`${LIBRARY}/sandgate.d.mts`, "export * from './sandgate.cjs'\n")
copyTypes('sandgate')

for (const [entry, outfile, banner] of [
  ['program', 'dist/cli/main.js', '#!/usr/bin/env node'],
  ['recorder-thread', 'dist/cassettes/writer/thread.js', ''],
])
  await build({
    entryPoints: [`scripts/bundled/${entry}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
  })

write('dist/config/load-thread.js', `${required('../sandgate.cjs')}sandgate.loadThread()\n`)

/** By require: an import would first look for the names that so large a file exports. */
function required(bundle) {
  return `import { createRequire } from 'node:module'\nconst sandgate = createRequire(import.meta.url)('${bundle}')\n`
}

/** The declarations of a module and of those that they name, as declarations of CommonJS. */
function copyTypes(module, copied = new Set()) {
  if (copied.has(module)) return
  copied.add(module)
  const declarations = readFileSync(`dist/${module}.d.ts`, 'utf8').replaceAll(
    /(\bfrom |\bimport\()(["'])(\.[^"']+)\.ts\2/g,
    (_, before, quote, named) => {
      copyTypes(join(dirname(module), named), copied)
      return `${before}${quote}${named}.cjs${quote}`
    },
  )
  write(`${LIBRARY}/${module}.d.cts`, declarations)
}

/** The packages that the bundle holds, with their versions and licences: whoever installs it gets no copy of them. */
function notices(paths) {
  const folders = new Set(paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    const terms = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version} (${license})\n\n${terms}`.trim()
  })
  return `${packages.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
