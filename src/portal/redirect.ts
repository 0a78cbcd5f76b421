import type { PageAnswer } from './page.ts'

/** 303: the browser asks for `location` with GET, whatever it sent here. */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return redirect(303, location, headers)
}

/** `location` is a path of ours, from the root. */
export function redirect(
  status: 303 | 308,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): PageAnswer {
  const common = {
    location,
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
  }
  return { kind: 'page', status, headers: { ...common, ...headers }, body: '' }
}
