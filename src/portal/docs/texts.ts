import { inLanguages, type TextTable } from '../texts.ts'

/** What stands around the reference. The reference itself is the OpenAPI document, which is English. */
export const DOCS_TEXTS = inLanguages({
  title: { fr: 'Documentation de l’API partenaire', en: 'Partner API reference' },
  lead: {
    fr: 'Tout est bac à sable ici : aucun argent ne bouge, aucune clé de production n’est créée, aucun webhook ne part.',
    en: 'Everything here is a sandbox: no money moves, no live key is minted and no webhook is sent.',
  },
  credentials: { fr: 'Vos identifiants', en: 'Your credentials' },
  clientId: { fr: 'identifiant de clé, tenant ou clé sandbox', en: 'key id, tenant or sandbox key' },
  clientSecret: { fr: 'clé sandbox', en: 'sandbox key' },
  demo: {
    fr: 'Les identifiants de démonstration sont saisis : ouvrez une opération et pressez TRY.',
    en: 'The demo credentials are filled in: open an operation and press TRY.',
  },
  enterOnce: {
    fr: 'Saisissez votre clé une fois : elle ne quitte pas cette page, sauf vers cette passerelle.',
    en: 'Enter your key once: it leaves this page for this gateway alone.',
  },
  getToken: { fr: 'Obtenir un jeton', en: 'Get a token' },
  whenNeeded: {
    fr: 'Un jeton est demandé quand une opération en a besoin.',
    en: 'A token is fetched when an operation needs one.',
  },
  enterBoth: {
    fr: 'Saisissez d’abord client_id et client_secret.',
    en: 'Enter client_id and client_secret first.',
  },
  fetched: { fr: 'Jeton obtenu, valable jusqu’à TIME.', en: 'Token fetched; it is good until TIME.' },
  notLoaded: {
    fr: 'La documentation n’a pas pu être chargée :',
    en: 'The reference could not be loaded:',
  },
  operations: { fr: 'Opérations', en: 'Operations' },
  errors: { fr: 'Codes d’erreur', en: 'Error codes' },
  start: { fr: 'Accueil', en: 'Start page' },
  usage: { fr: 'Votre consommation', en: 'Your usage' },
  others: { fr: 'autres', en: 'others' },
  othersExplain: {
    fr: 'Ce qui précède l’opération : authentification, forme de la requête, limites, état de la passerelle. Chaque code a sa page.',
    en: 'What stands before the operation: authentication, the form of the request, limits, the state of the gateway. Each code has its page.',
  },
  body: { fr: 'Corps de la requête', en: 'Request body' },
  choice: { fr: 'Choix', en: 'Choice' },
  noScript: {
    fr: 'Pour essayer une opération, cette page a besoin de JavaScript ; la même documentation est dans openapi.json.',
    en: 'To try an operation, this page needs JavaScript; the same reference is in openapi.json.',
  },
} as const satisfies TextTable)
