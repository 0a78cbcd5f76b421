/** In place of Node's part for HTTP/2: what packages read of it when they are loaded. Nothing of the product calls more. */
module.exports = { constants: {} }
