import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The text format of Prometheus, written in slices: a thousand partners are fifty thousand lines, and the requests
 * that come meanwhile do not wait for them (docs/decisions/0020-metrics.md).
 */
export type Exposition = {
  readonly family: (name: string, type: string, help: string) => void
  /** `labels` in braces, or empty. */
  readonly sample: (name: string, labels: string, value: number) => void
  /** To be awaited now and then: gives way when the slice has lasted. */
  readonly pause: () => Promise<void> | undefined
  readonly end: () => Buffer
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Well below what a request would notice. */
const SLICE_MS = 5

export function createExposition(): Exposition {
  const slices: Buffer[] = []
  let text = ''
  let sliceEndsAt = performance.now() + SLICE_MS

  function cut(): void {
    // Bytes, so that what is gathered stays flat: one long rope would be flattened in one piece at the end.
    slices.push(Buffer.from(text))
    text = ''
  }

  async function giveWay(): Promise<void> {
    cut()
    await nextTurn()
    sliceEndsAt = performance.now() + SLICE_MS
  }

  return {
    family: (name, type, help) => {
      text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
    },
    sample: (name, labels, value) => {
      text += `${name}${labels} ${numberText(value)}\n`
    },
    pause: () => (performance.now() < sliceEndsAt ? undefined : giveWay()),
    end: () => {
      cut()
      return Buffer.concat(slices)
    },
  }
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

/** Labels as they stand behind a name, in the order of the family; empty without any. */
export function labelText(labels: Readonly<Record<string, string>>, names: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`).join(',')}}`
}

const TO_ESCAPE = /[\\"\n]/

function escaped(value: string): string {
  // Most labels are words of ours, and a gateway makes hundreds of them before it starts.
  if (!TO_ESCAPE.test(value)) return value
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
