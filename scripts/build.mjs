import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { oneFile } from './one-file.mjs'
import { quickAssertions } from './quick-assertions.mjs'

/** Everything, as CommonJS: see docs/decisions/0048-one-bundle.md. */
const BUNDLE = 'dist/sandgate.cjs'
const COMMAND = 'dist/cli/main.js'
/** What `import` and `require` of the package find; `main`, `types` and `exports` of package.json name its files. */
const LIBRARY = 'dist/library'
const NAMES = ['CassetteError', 'record', 'replay']

/** Packages and modules of Node, by their exact name, and what is bundled in their place. */
const SMALLER = {
  undici: 'scripts/bundled/undici.cjs',
  '@fastify/ajv-compiler': 'scripts/bundled/unused.cjs',
  '@fastify/fast-json-stringify-compiler': 'scripts/bundled/unused.cjs',
  'light-my-request': 'scripts/bundled/unused.cjs',
  // What speaks HTTP/2, which the product does not: to load Node's own part of it is 14 ms of a profiled start.
  'node:http2': 'scripts/bundled/http2.cjs',
}

/** Types are judged by `npm run check`. */
const compiled = promisify(execFile)('node_modules/.bin/tsc', ['-p', 'tsconfig.json', '--noCheck'])
// Whether it has failed is asked when the bundles are made, which takes as long and needs nothing of it.
compiled.catch(() => {})

const oneBundle = oneFile(
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
const starters = [
  ['program', COMMAND, '#!/usr/bin/env node'],
  ['recorder-thread', 'dist/cassettes/writer/thread.js', ''],
].map(async ([entry, outfile, banner]) => {
  const { outputFiles } = await build({
    entryPoints: [`scripts/bundled/${entry}.ts`],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
    write: false,
  })
  return [outfile, outputFiles[0].text]
})

const [{ text, inputs }, ...files] = await Promise.all([oneBundle, ...starters])
try {
  await compiled
} catch ({ stdout, stderr }) {
  process.stderr.write(stdout + stderr)
  process.exit(1)
}
// Written last: some of them take the place of what the compiler has made of a module.
write(BUNDLE, text)
write('dist/third-party.txt', notices(inputs))
for (const [path, content] of files) write(path, content)
chmodSync(COMMAND, 0o755)
write('dist/config/load-thread.js', `${required('../sandgate.cjs')}sandgate.loadThread()\n`)

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
