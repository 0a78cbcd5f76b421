/**
 * What the product and its proxy use of undici, in place of its index: that loads fetch, WebSockets, caches and mocks,
 * which are two thirds of it. Only bundles see this file; a part that is missing fails the build.
 */
const Dispatcher = require('undici/lib/dispatcher/dispatcher')
Object.assign(Dispatcher.prototype, { request: require('undici/lib/api/api-request') })

module.exports = {
  Dispatcher,
  Client: require('undici/lib/dispatcher/client'),
  Pool: require('undici/lib/dispatcher/pool'),
  BalancedPool: require('undici/lib/dispatcher/balanced-pool'),
  Agent: require('undici/lib/dispatcher/agent'),
  buildConnector: require('undici/lib/core/connect'),
  errors: require('undici/lib/core/errors'),
}
