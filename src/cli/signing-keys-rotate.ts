export { rotate as run } from './signing-keys.ts'
