import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { replayPictures } from '../../scripts/pictures/replays.ts'

it('the pictures of a terminal show what the command prints', async () => {
  const pictures = await replayPictures()
  expect(Object.keys(pictures)).toHaveLength(2)
  for (const [file, text] of Object.entries(pictures))
    expect(readFileSync(file, 'utf8') === text, `${file}: run npm run pictures`).toBe(true)
})
