import type { CapProduct, RateLimitGroup } from '../../config/contract.ts'
import { EXAMPLE_REQUEST_ID } from '../../operations/openapi-names.ts'
import { inLanguages, type PlainNames, type TextsOf, type TextTable } from '../texts.ts'

const TABLE = {
  title: { fr: 'Consommation', en: 'Usage' },
  signOut: { fr: 'Se déconnecter', en: 'Sign out' },
  refresh: { fr: 'Actualiser', en: 'Refresh' },
  asOf: { fr: (time: string) => `État à ${time} UTC`, en: (time: string) => `As of ${time} UTC` },
  stale: {
    fr: 'La passerelle ne répond pas ; ces chiffres datent. Nouvel essai sous peu.',
    en: 'The gateway does not answer, so these figures are old. Trying again shortly.',
  },

  // What the page says first.
  allWell: {
    fr: 'Tout va bien : il reste de la marge partout.',
    en: 'All is well: there is room everywhere.',
  },
  untouched: {
    fr: 'Rien n’a encore été consommé. Tout est disponible.',
    en: 'Nothing has been used yet. Everything is available.',
  },
  firstCall: { fr: 'Faire un premier appel', en: 'Make a first call' },
  capOut: {
    fr: (name: string) => `Plafond atteint : ${name}`,
    en: (name: string) => `Cap used up: ${name}`,
  },
  windowOut: {
    fr: (name: string) => `Limite de débit atteinte : ${name}`,
    en: (name: string) => `Rate limit reached: ${name}`,
  },
  capNear: {
    fr: (name: string) => `Presque épuisé : ${name}`,
    en: (name: string) => `Almost used up: ${name}`,
  },
  backIn: { fr: 'de retour dans', en: 'back in' },
  limitedOne: {
    fr: 'Une requête a reçu 429 depuis une heure environ : elle est arrivée trop vite.',
    en: 'One request got 429 in the last hour or so: it came too fast.',
  },
  limitedMany: {
    fr: (count: string) =>
      `${count} requêtes ont reçu 429 depuis une heure environ : elles arrivent trop vite.`,
    en: (count: string) => `${count} requests got 429 in the last hour or so: they come too fast.`,
  },

  caps: { fr: 'Plafonds', en: 'Caps' },
  capsExplain: {
    fr: 'Ce que votre opérateur vous accorde par jour ou par mois, en temps UTC.',
    en: 'What your operator grants you a day or a month, in UTC.',
  },
  noCaps: { fr: 'Aucun plafond ne vous concerne.', en: 'No cap applies to you.' },
  limits: { fr: 'Limites de débit', en: 'Rate limits' },
  limitsExplain: {
    fr: 'Requêtes par fenêtre ; une fenêtre commence à la première requête.',
    en: 'Requests per window; a window begins with the first request.',
  },
  left: { fr: (amount: string) => `Reste ${amount}`, en: (amount: string) => `${amount} left` },
  usedUp: { fr: 'Épuisé', en: 'Used up' },
  held: {
    fr: (amount: string) => `dont ${amount} en cours`,
    en: (amount: string) => `${amount} being decided`,
  },
  newDay: { fr: 'repart à 00:00 UTC, dans', en: 'starts anew at 00:00 UTC, in' },
  newMonth: {
    fr: (day: string) => `repart le ${day}, dans`,
    en: (day: string) => `starts anew on ${day}, in`,
  },
  windowEnds: { fr: 'repart à neuf dans', en: 'starts anew in' },
  perDay: { fr: 'par jour', en: 'a day' },
  perMonth: { fr: 'par mois', en: 'a month' },
  calls: { fr: 'appels', en: 'calls' },
  perKey: { fr: 'par clé', en: 'per key' },
  perAddress: { fr: 'par adresse IP', en: 'per IP address' },

  activity: { fr: 'Activité', en: 'Activity' },
  byHour: { fr: '48 heures', en: '48 hours' },
  byDay: { fr: '31 jours', en: '31 days' },
  period: { fr: 'Période', en: 'Period' },
  chartRequests: { fr: 'Requêtes', en: 'Requests' },
  chartLimited: { fr: 'Refus 429', en: '429 answers' },
  chartDecisions: { fr: 'Décisions', en: 'Decisions' },
  accepted: { fr: 'favorables', en: 'favourable' },
  declined: { fr: 'défavorables', en: 'unfavourable' },
  atMost: { fr: 'au plus', en: 'at most' },
  anHour: { fr: 'par heure', en: 'an hour' },
  aDay: { fr: 'par jour', en: 'a day' },
  none: { fr: 'aucune', en: 'none' },
  now: { fr: 'maintenant', en: 'now' },
  asTable: { fr: 'Voir en tableau', en: 'Show as a table' },
  time: { fr: 'Heure UTC', en: 'UTC time' },
  day: { fr: 'Jour UTC', en: 'UTC day' },
  operation: { fr: 'Opération', en: 'Operation' },
  otherRefusals: { fr: 'Autres refus', en: 'Other refusals' },
  byOperation: { fr: 'Par opération', en: 'By operation' },
  noOperation: { fr: 'autres adresses', en: 'other addresses' },
  nothingYet: {
    fr: 'Rien dans cette période.',
    en: 'Nothing happened in this period.',
  },

  refusals: { fr: 'Refus récents', en: 'Recent refusals' },
  refusalsExplain: {
    fr: 'Les 200 derniers, sept jours au plus.',
    en: 'The last 200, for seven days.',
  },
  noRefusals: { fr: 'Aucun refus. C’est très bien ainsi.', en: 'No refusals. Just as it should be.' },
  search: { fr: 'Identifiant de requête', en: 'Request id' },
  searchHint: {
    fr: `Celui de l’en-tête X-Request-Id, par exemple ${EXAMPLE_REQUEST_ID}`,
    en: `From the header X-Request-Id, such as ${EXAMPLE_REQUEST_ID}`,
  },
  find: { fr: 'Chercher', en: 'Find' },
  clear: { fr: 'Effacer la recherche', en: 'Clear the search' },
  found: { fr: 'Trouvé', en: 'Found' },
  notFound: {
    fr: (id: string) =>
      `${id} n’est pas parmi vos refus récents : la requête a abouti, elle est plus ancienne, ou elle n’est pas de vous.`,
    en: (id: string) =>
      `${id} is not among your recent refusals: it was answered, it is older, or it is not yours.`,
  },
  times: {
    fr: (count: string) => `${count} fois de suite`,
    en: (count: string) => `${count} times in a row`,
  },
  between: { fr: 'de', en: 'from' },
  and: { fr: 'à', en: 'to' },
  showIds: { fr: 'Voir les identifiants', en: 'Show the request ids' },
  older: { fr: 'Voir les plus anciens', en: 'Show older ones' },
  help: {
    fr: 'Une question ? Donnez l’identifiant de la requête à votre opérateur.',
    en: 'A question? Give the request id to your operator.',
  },

  accounts: { fr: 'Ouvertures de compte', en: 'Account openings' },
  kyc: { fr: 'Vérifications KYC', en: 'KYC checks' },
  kyb: { fr: 'Vérifications KYB', en: 'KYB checks' },
  fund: { fr: 'Alimentations', en: 'Funding' },
  cashout: { fr: 'Retraits', en: 'Cash-outs' },
  credit: { fr: 'Crédits accordés', en: 'Credit granted' },
  token: { fr: 'Échange de jeton', en: 'Token exchange' },
  open: { fr: 'Ouverture de compte', en: 'Account opening' },
  kycSubmit: { fr: 'Dossier KYC', en: 'KYC dossier' },
  simulate: { fr: 'Simulation de crédit', en: 'Credit simulation' },
  apply: { fr: 'Demande de crédit', en: 'Credit application' },
  other: { fr: 'Tout le reste', en: 'Everything else' },
} as const satisfies TextTable

export type UsageTexts = TextsOf<typeof TABLE>
export const USAGE_TEXTS = inLanguages(TABLE)

/** What a capped product is called. */
export const PRODUCT_NAMES: Readonly<Record<CapProduct, PlainNames<UsageTexts>>> = {
  accounts: 'accounts',
  kyc: 'kyc',
  kyb: 'kyb',
  'payments.fund': 'fund',
  'payments.cashout': 'cashout',
  credit: 'credit',
}

/** What a rate-limit group is called. */
export const GROUP_NAMES: Readonly<Record<RateLimitGroup, PlainNames<UsageTexts>>> = {
  token: 'token',
  'accounts.open': 'open',
  'kyc.submit': 'kycSubmit',
  'payments.fund': 'fund',
  'payments.cashout': 'cashout',
  'credit.simulate': 'simulate',
  'credit.apply': 'apply',
  other: 'other',
}

/** In words, or by its own name where there are none. */
export function productName(texts: UsageTexts, product: string): string {
  return isNamed(PRODUCT_NAMES, product) ? texts[PRODUCT_NAMES[product]] : product
}

export function groupName(texts: UsageTexts, group: string): string {
  return isNamed(GROUP_NAMES, group) ? texts[GROUP_NAMES[group]] : group
}

function isNamed<N extends string>(names: Readonly<Record<N, unknown>>, name: string): name is N {
  return Object.hasOwn(names, name)
}
