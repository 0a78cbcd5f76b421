import { writeFile } from 'node:fs/promises'
import { replayPictures } from './pictures/replays.ts'

/** Writes the pictures that show what the built command prints. Runs at the root of the project. */
for (const [file, text] of Object.entries(await replayPictures())) {
  await writeFile(file, text)
  console.log(`wrote ${file}`)
}
