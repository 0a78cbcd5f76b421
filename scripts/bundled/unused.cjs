/** Stands for what Fastify loads for routes with schemas, of which there are none, and for its own tests. */
module.exports = () => {
  throw new TypeError('this part of Fastify is not bundled')
}
