/** A URL to send secrets to: http or https, and nothing in it but where. */
export function baseUrl(text: string | true | undefined): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined
}
