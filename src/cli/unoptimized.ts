import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 run code as it is, without compiling anew, with more effort, what runs often. What takes less than a second ends
 * before that pays, and the threads that compile take the processor from it. The function that is returned ends it.
 */
export function runUnoptimized(): () => void {
  setFlagsFromString('--no-opt')
  const optimize = () => setFlagsFromString('--opt')
  // Compiled code that is kept holds for the flags with which it was written, and a start has these.
  process.prependOnceListener('exit', optimize)
  return optimize
}
