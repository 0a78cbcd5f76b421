import { build } from 'esbuild'
import { quickAssertions } from './quick-assertions.mjs'

/**
 * Puts the program into few files, over what the compiler has written. Loading some thousand small modules is most
 * of a start otherwise: see docs/decisions/0008-bundle.md. Types stay those of the compiler.
 */
await build({
  entryPoints: [
    'src/cli/main.ts',
    'src/cassettes/writer/thread.ts',
    'src/config/load-thread.ts',
    'src/sandgate.ts',
  ],
  outbase: 'src',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native code, and what is looked up by its files.
  external: ['lmdb', 'pino-pretty', 'swagger-ui-dist'],
  plugins: [quickAssertions],
  // CommonJS inside the bundle asks for Node's own modules by require.
  banner: {
    js: "import { createRequire as sandgateRequire } from 'node:module'; const require = sandgateRequire(import.meta.url);",
  },
  // Names stay, so that a stack trace can be read as it is.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
})
