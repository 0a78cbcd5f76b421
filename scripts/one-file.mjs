import { init, parse } from 'es-module-lexer'
import { build, transform } from 'esbuild'

const NODE = { platform: 'node', target: 'node20' }

/**
 * Bundles a module into the text of one CommonJS file, in parts that run when they are first asked for: see
 * docs/decisions/0048-one-bundle.md. The parts are what esbuild splits ES modules into. The modules of a part share one
 * scope, so V8 sees that their functions and constants never change. In the CommonJS that esbuild writes by itself, a
 * module that is loaded late has a scope of its own and assigns to variables of the file, which V8 must read each time.
 *
 * @param {string} entry
 * @param {import('esbuild').BuildOptions} options
 * @param {string} prelude Statements at the head of the file.
 * @returns {Promise<{ text: string, inputs: readonly string[] }>} The file, and the paths of what it is made of.
 */
export async function oneFile(entry, options, prelude) {
  const { outputFiles, metafile } = await build({
    ...options,
    ...NODE,
    entryPoints: { entry },
    outdir: '.',
    bundle: true,
    splitting: true,
    format: 'esm',
    metafile: true,
    write: false,
  })
  await init
  const parts = new Map(
    outputFiles.map(({ path, text }) => [`./${path.slice(path.lastIndexOf('/') + 1)}`, asPart(text)]),
  )
  for (const name of parts.keys()) proveOrder(name, parts, [])
  const functions = await Promise.all(
    [...parts].map(async ([name, { text }]) => {
      const { code } = await transform(text, {
        ...NODE,
        format: 'cjs',
        // Jest has no import() without a flag of Node's.
        supported: { 'dynamic-import': false },
        // Names stay, so that a stack trace can be read as it is.
        minifyWhitespace: true,
        minifySyntax: true,
      })
      return `${JSON.stringify(name)}(exports,module,require){${code}}`
    }),
  )
  const text = `"use strict";${prelude}
const ran=new Map();
function load(name){
if(!Object.hasOwn(parts,name))return require(name);
if(!ran.has(name)){const module={exports:{}};parts[name](module.exports,module,load);ran.set(name,module.exports)}
return ran.get(name)}
const parts={
${functions.join(',')}};
module.exports=load("./entry.js");
`
  return { text, inputs: Object.keys(metafile.inputs) }
}

/** A part whose imports from other parts are calls of `require`, and which parts those are. */
function asPart(source) {
  const [imports, exports] = parse(source)
  const end = exports.length === 0 ? source.length : source.lastIndexOf('\nexport {')
  const pieces = []
  const needed = []
  let done = source.startsWith('#!') ? source.indexOf('\n') : 0
  for (const { n: name, ss: from, se: to, d: late } of imports) {
    if (late !== -1 || !name?.startsWith('./')) continue
    needed.push(name)
    pieces.push(source.slice(done, from), required(source.slice(from, to)))
    done = to
  }
  const list = exports.map(({ n: name, ln: local }) => `${name}: ${proveConstant(local, source)}`)
  pieces.push(source.slice(done, end), `\nObject.assign(exports, { ${list.join(', ')} })`)
  return { text: pieces.join(''), needed }
}

function required(statement) {
  const [, names, part] = /^import (?:\{([^}]*)\} from )?("[^"]*")$/.exec(statement) ?? []
  if (part === undefined) throw new Error(`an import of an unexpected form: ${statement}`)
  const taken = names === undefined ? '' : `const {${names.replaceAll(' as ', ': ')}} = `
  return `${taken}require(${part})`
}

/** Whoever imports a name gets its value once, so the name must be assigned to nowhere but where it is declared. */
function proveConstant(name, source) {
  const assignment = String.raw`(?:\s*[-+*/%&|^?]{0,3}=(?![=>])|\+\+|--)`
  const place = new RegExp(
    String.raw`^(?!.*\b(?:var|let|const) ).*(?<![\w$.#])${name.replaceAll('$', String.raw`\$`)}${assignment}`,
    'm',
  ).exec(source)
  if (place) throw new Error(`an export that is assigned to: ${place[0]}`)
  return name
}

/** A part that needs itself would be asked for values that it does not have yet. */
function proveOrder(name, parts, above) {
  if (above.includes(name)) throw new Error(`parts that need each other: ${[...above, name].join(' ')}`)
  const part = parts.get(name)
  if (part === undefined) throw new Error(`no such part: ${name}`)
  for (const each of part.needed) proveOrder(each, parts, [...above, name])
}
