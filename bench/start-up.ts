import { temporaryDirectory } from './clean-up.ts'
import { firstAnswerMs } from './first-answer.ts'
import { freePort } from './process.ts'
import { median } from './rounds.ts'

/** From the start of the process to its first answer, in milliseconds: the median of several fresh starts. */
export async function startUpMedianMs(starts: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < starts; i++) times.push(await oneStart())
  return median(times)
}

async function oneStart(): Promise<number> {
  const directory = temporaryDirectory()
  const port = await freePort()
  const ports = ['--port', String(port), '--operator-port', '0']
  const command = [process.execPath, 'dist/cli/main.js', 'serve', ...ports, '--data', directory.path]
  const time = await firstAnswerMs(
    command,
    async () => (await fetch(`http://127.0.0.1:${port}/v1/score`)).status === 401,
  )
  directory.remove()
  return time
}
