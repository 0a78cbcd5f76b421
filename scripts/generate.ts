import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { REFERENCES } from './references.ts'

/**
 * Writes what docs/ and dashboards/ have from the source; with --check it writes nothing and fails, naming the files that differ from the source.
 * Runs at the root of the project.
 */
const check = process.argv.includes('--check')

const stale: string[] = []
for (const [file, generate] of Object.entries(REFERENCES)) {
  const text = await generate()
  if (text === (await readFile(file, 'utf8').catch(() => undefined))) continue
  stale.push(file)
  if (check) continue
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
for (const file of stale) console.log(check ? `${file} is not what the source says` : `wrote ${file}`)
if (check && stale.length > 0) {
  console.log('Run npm run generate and commit what it writes.')
  process.exitCode = 1
}
