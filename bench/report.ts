import type { Subject } from './process.ts'
import { alternate, type Entrant, type RoundOptions, type Standing, table, warmUp } from './rounds.ts'

export type ReportOptions = RoundOptions & { readonly connections: readonly number[] }

/** Prints one table: every entrant with every number of connections, each compared with `base`. */
export async function report(
  title: string,
  entrants: readonly Entrant[],
  base: Subject,
  { connections, ...rounds }: ReportOptions,
): Promise<Standing[]> {
  await warmUp(entrants, Math.max(...connections))
  const standings: Standing[] = []
  for (const count of connections) standings.push(...(await alternate(entrants, count, rounds)))
  console.log(`### ${title}\n\n${table(standings, base.name)}\n`)
  return standings
}

/** Starts servers one by one and ends them all, however the measurement ends. */
export async function withSubjects(
  measure: (keep: (starting: Promise<Subject>) => Promise<Subject>) => Promise<void>,
): Promise<void> {
  const subjects: Subject[] = []
  try {
    await measure(async (starting) => {
      const subject = await starting
      subjects.push(subject)
      return subject
    })
  } finally {
    for (const subject of subjects) await subject.stop()
  }
}
