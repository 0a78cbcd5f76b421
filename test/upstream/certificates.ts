import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Certificate = { readonly cert: string; readonly key: string }

/** An authority of a test, and what it signs: with the openssl of the system, in a directory of the test. */
export function createAuthority(directory: string) {
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const path = (name: string) => join(directory, name)
  run(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '30',
    '-subj',
    '/CN=Authority',
  )
  let serial = 1
  return {
    caFile: path('ca.pem'),
    /** For a name; with `days` of -1 it ended yesterday. */
    issue: (name: string, days = 30): Certificate => {
      const file = `${name}-${++serial}`
      run(
        'req',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        `${file}.key`,
        '-out',
        `${file}.csr`,
        '-subj',
        `/CN=${name}`,
      )
      writeFileSync(path(`${file}.ext`), `subjectAltName=DNS:${name}`)
      run(
        'x509',
        '-req',
        '-in',
        `${file}.csr`,
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-set_serial',
        String(serial),
        '-extfile',
        `${file}.ext`,
        '-days',
        String(days),
        '-out',
        `${file}.pem`,
      )
      return {
        cert: readFileSync(path(`${file}.pem`), 'utf8'),
        key: readFileSync(path(`${file}.key`), 'utf8'),
      }
    },
  }
}
