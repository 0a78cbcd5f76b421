/** What the files of the package lead to: one bundle, of which each part runs when it is asked for. */
export { CassetteError, record, replay } from '../../src/sandgate.ts'

export const main = () => import('../../src/cli/main.ts')
export const recorderThread = () => import('../../src/cassettes/writer/thread.ts')
export const loadThread = () => import('../../src/config/load-thread.ts')
