import type { ErrorEntry } from '../errors/catalogue.ts'
import { inLanguages, type TextTable } from './texts.ts'

export const KINDS = [
  'contract',
  'decision',
  'gateway',
  'replay',
] as const satisfies readonly ErrorEntry['kind'][]

/** What the pages under /docs/errors say beside the catalogue. */
export const ERROR_TEXTS = inLanguages({
  status: { fr: 'Statut', en: 'Status' },
  isDecision: {
    fr: 'une décision, et non un échec de la requête',
    en: 'a decision, not a failure of the request',
  },
  when: { fr: 'Quand cela arrive', en: 'When it happens' },
  whatToDo: { fr: 'Que faire', en: 'What to do' },
  again: { fr: 'Renvoyer la même requête ?', en: 'Send the same request again?' },
  where: { fr: 'Qui répond ainsi', en: 'What answers with it' },
  example: { fr: 'Exemple de réponse', en: 'An example answer' },
  all: { fr: 'Chaque opération.', en: 'Every operation.' },
  'all-but-exchange': {
    fr: 'Chaque opération, sauf l’échange de jeton.',
    en: 'Every operation but the token exchange.',
  },
  'every-post': { fr: 'Chaque POST sous /v1.', en: 'Every POST under /v1.' },
  none: {
    fr: 'Aucune opération : les autres chemins et méthodes.',
    en: 'No operation: other paths and methods.',
  },
  simulator: { fr: 'où le simulateur décide', en: 'where the simulator decides' },
  upstream: { fr: 'où un service en amont décide', en: 'where an upstream decides' },
  tape: { fr: 'en relecture d’une cassette', en: 'at the replay of a cassette' },
  docs: { fr: 'Ouvrir la documentation', en: 'Open the documentation' },
  documentation: { fr: 'Documentation', en: 'Documentation' },
  allCodes: { fr: 'Codes d’erreur', en: 'Error codes' },
  exchange: { fr: 'Échanger la clé', en: 'Exchange the key' },
  usage: { fr: 'Votre consommation', en: 'Your usage' },
  branch: {
    fr: 'Un programme se fie au code ; sa page dit quand il arrive et que faire.',
    en: 'Branch on the code; its page says when it happens and what to do.',
  },
  contractKind: { fr: 'De l’interface partenaire', en: 'Of the partner interface' },
  decisionKind: { fr: 'Les décisions, en HTTP 200', en: 'Decisions, which come with HTTP 200' },
  gatewayKind: { fr: 'De la passerelle devant elle', en: 'Of the gateway in front of it' },
  replayKind: { fr: 'D’une relecture', en: 'Of a replay' },
  nothingHere: { fr: 'Rien ici', en: 'Nothing here' },
  noSuchPage: { fr: 'La documentation n’a pas de telle page.', en: 'The reference has no such page.' },
  noSuchCode: { fr: 'Ce code d’erreur n’existe pas.', en: 'There is no such error code.' },
} as const satisfies TextTable)
