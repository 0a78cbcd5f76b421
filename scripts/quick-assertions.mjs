const CHECK = `
const real = require('node:assert')
function check(value, message) {
  if (value) return
  if (message instanceof Error) throw message
  const said = message ?? 'a check within a library has failed'
  throw new real.AssertionError({ message: said, actual: value, expected: true, operator: '==', stackStartFn: check })
}
module.exports = Object.assign(check, real, { ok: check })
`

/**
 * Gives what is bundled an `assert` that always has a message. Node's makes one up by reading and parsing the source
 * file of the call: in a bundle that is everything, and nothing else is done for seconds. A library asserts about what
 * a peer has sent, so a peer could bring that about.
 *
 * @type {import('esbuild').Plugin}
 */
export const quickAssertions = {
  name: 'quick-assertions',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?assert$/ }, ({ namespace }) =>
      namespace === 'quick-assertions'
        ? { path: 'node:assert', external: true }
        : { path: 'assert', namespace: 'quick-assertions' },
    )
    onLoad({ filter: /.*/, namespace: 'quick-assertions' }, () => ({ contents: CHECK, loader: 'js' }))
  },
}
