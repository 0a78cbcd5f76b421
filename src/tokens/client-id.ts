/** A key id or a tenant names its owner to everybody; it is not a secret. */
export function isPublicClientId(value: string): boolean {
  return /^(?:key|tn_sandbox)_[A-Za-z0-9_-]{1,60}$/.test(value)
}

/** Whether a client id has the form of a key id, which names a key to everybody. */
export function isKeyId(clientId: string): boolean {
  return /^key_[A-Za-z0-9_-]{1,60}$/.test(clientId)
}
