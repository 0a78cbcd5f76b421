import { recordStories } from './record-stories.ts'

/** npm run recordings: records the shipped cassettes again. `git diff` stays empty while nothing has changed. */
await recordStories('recordings')
