export { list as run } from './signing-keys.ts'
