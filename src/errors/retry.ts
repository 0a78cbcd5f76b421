/** Whether the same request may be sent again after a code, and when. */
export type Retry = 'never' | 'corrected' | 'token' | 'wait' | 'room' | 'same-key' | 'new-key'

/** In a sentence, for the pages under /docs/errors and the reference. */
export const RETRIES: Readonly<Record<Retry, { readonly en: string; readonly fr: string }>> = {
  never: {
    en: 'No. The same request gets the same answer.',
    fr: 'Non. La même requête reçoit la même réponse.',
  },
  corrected: {
    en: 'Once it has been corrected. Nothing was executed or stored, so the same Idempotency-Key is still free.',
    fr: 'Une fois corrigée. Rien n’a été exécuté ni stocké : le même Idempotency-Key reste libre.',
  },
  token: {
    en: 'Yes, with another token and the same Idempotency-Key: nothing was executed.',
    fr: 'Oui, avec un autre jeton et le même Idempotency-Key : rien n’a été exécuté.',
  },
  wait: {
    en: 'Yes, as it is, with the same Idempotency-Key, after as many seconds as Retry-After says.',
    fr: 'Oui, telle quelle, avec le même Idempotency-Key, après le nombre de secondes qu’indique Retry-After.',
  },
  room: {
    en: 'After as many seconds as Retry-After says. Without that header it can never pass.',
    fr: 'Après le nombre de secondes qu’indique Retry-After. Sans cet en-tête, elle ne passera jamais.',
  },
  'same-key': {
    en: 'Yes, as it is, with the same Idempotency-Key, which keeps it from happening twice. Wait longer after each attempt: 1 s, 2 s, 4 s.',
    fr: 'Oui, telle quelle, avec le même Idempotency-Key, qui empêche qu’elle ait lieu deux fois. Attendez plus longtemps après chaque essai : 1 s, 2 s, 4 s.',
  },
  'new-key': {
    en: 'With a new Idempotency-Key, as another request. With the same one the answer stays what it is.',
    fr: 'Avec un nouvel Idempotency-Key, comme une autre requête. Avec le même, la réponse reste ce qu’elle est.',
  },
}
