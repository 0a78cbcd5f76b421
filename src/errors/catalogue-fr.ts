import type { Language } from '../http/language.ts'
import { type ErrorCode, type ErrorEntry, errorEntry } from './catalogue.ts'

/** What a page says of a code in its reader's language. */
export type ErrorWords = Pick<ErrorEntry, 'title' | 'cause' | 'resolution'>

/** The catalogue's titles, causes and resolutions in French; a code without them does not compile. */
const FRENCH: Readonly<Record<ErrorCode, ErrorWords>> = {
  IDEMPOTENCY_KEY_REQUIRED: {
    title: 'L’en-tête Idempotency-Key est obligatoire',
    cause: 'Un POST a omis l’en-tête Idempotency-Key.',
    resolution: 'Ajoutez un en-tête Idempotency-Key avec un nouvel UUID v4 et renvoyez la requête.',
  },
  PARTNER_MISMATCH: {
    title: 'X-Tenant-Id ne correspond pas à la clé',
    cause: 'Le tenant de la clé et X-Tenant-Id ne concordent pas.',
    resolution: 'Envoyez le tenant de la clé, ou omettez X-Tenant-Id.',
  },
  PARTNER_LIMIT_EXCEEDED: {
    title: 'Plafond du partenaire dépassé',
    cause: 'L’appel dépasse le plafond du partenaire pour ce produit et cette période.',
    resolution:
      'Lisez la marge restante sur /portal/usage, puis attendez la période suivante ou demandez à l’opérateur de relever le plafond.',
  },
  SCORE_NOT_FOUND: {
    title: 'Aucun score pour ce customerRef',
    cause: 'Il n’y a pas de score pour ce customerRef.',
    resolution: 'Vérifiez le customerRef. Ne répétez pas la même référence inconnue.',
  },
  KYC_SESSION_EXPIRED: {
    title: 'La session du widget a expiré',
    cause: 'La session du widget a plus de 15 minutes.',
    resolution: 'Créez une nouvelle session avec POST /v1/kyc/widget/session et ouvrez la nouvelle URL.',
  },
  TOKEN_EXPIRED: {
    title: 'Le jeton d’accès a expiré',
    cause: 'Le jeton d’accès a plus d’une heure.',
    resolution: 'Échangez de nouveau la clé sandbox avec POST /auth/token.',
  },
  RATE_LIMITED: {
    title: 'Limite de débit dépassée',
    cause: 'La fenêtre de la limite de débit est pleine.',
    resolution: 'Attendez l’instant donné par X-RateLimit-Reset (ou Retry-After secondes), puis réessayez.',
  },
  KYB_REJECTED: {
    title: 'Entreprise refusée',
    cause: 'Le businessRef du sandbox finit par 009.',
    resolution:
      'Soumettez un nouveau dossier, ou utilisez un businessRef qui finit par 001 pour une approbation.',
  },
  KYC_REJECTED: {
    title: 'Identité refusée',
    cause: 'Le téléphone du sandbox est +225 suivi de zéros et d’un 9 final.',
    resolution:
      'Soumettez un nouveau dossier, ou utilisez le même numéro avec un 1 final pour une approbation.',
  },
  PAYMENT_FAILED: {
    title: 'Paiement échoué',
    cause: 'Le montant du sandbox finit par 00.',
    resolution: 'Réessayez avec un nouvel Idempotency-Key et un montant qui finit par 77 pour une réussite.',
  },
  CREDIT_REJECTED: {
    title: 'Crédit refusé',
    cause: 'Le montant du sandbox finit par 99.',
    resolution: 'Simulez de nouveau avec un montant d’au plus 100000 XOF qui finit par 11.',
  },
  INVALID_CLIENT: {
    title: 'Échec de l’authentification du client',
    cause: 'client_id et client_secret ne vont pas ensemble, ou l’un d’eux manque ou a été révoqué.',
    resolution:
      'Envoyez l’identifiant de clé, le tenant ou la clé sandbox en client_id et la clé sandbox en client_secret.',
  },
  INVALID_REQUEST: {
    title: 'Demande de jeton mal formée',
    cause:
      'Il manque un paramètre à la demande de jeton, elle en répète un, ou elle s’authentifie de deux façons différentes.',
    resolution:
      'Envoyez chaque paramètre une seule fois, avec les identifiants dans le corps ou en HTTP Basic.',
  },
  UNSUPPORTED_GRANT_TYPE: {
    title: 'Type d’autorisation non pris en charge',
    cause: 'grant_type n’est pas client_credentials.',
    resolution: 'Envoyez grant_type=client_credentials, ou omettez-le.',
  },
  INVALID_SCOPE: {
    title: 'Scope non accordé à cette clé',
    cause: 'Le scope demandé n’est pas de ceux que la clé détient.',
    resolution: 'Demandez une partie des scopes de la clé, ou omettez scope pour les obtenir tous.',
  },
  TOKEN_MISSING: {
    title: 'Aucun jeton d’accès',
    cause: 'La requête n’a pas d’en-tête Authorization avec un jeton Bearer.',
    resolution: 'Envoyez Authorization: Bearer avec un jeton de POST /auth/token.',
  },
  TOKEN_INVALID: {
    title: 'Le jeton d’accès n’est pas valide',
    cause:
      'Le jeton est mal formé, a une mauvaise signature, est destiné à un autre service, ou sa clé a été révoquée.',
    resolution: 'Échangez de nouveau la clé sandbox avec POST /auth/token.',
  },
  INSUFFICIENT_SCOPE: {
    title: 'Il manque un scope au jeton d’accès',
    cause: 'L’opération demande un scope que le jeton ne porte pas.',
    resolution: 'Échangez de nouveau la clé avec ce scope, ou demandez à l’opérateur de l’accorder à la clé.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    title: 'Idempotency-Key n’est pas un UUID v4',
    cause: 'L’en-tête Idempotency-Key n’est pas un UUID v4, ou a été envoyé deux fois.',
    resolution: 'Envoyez exactement un en-tête Idempotency-Key avec un UUID v4.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'Idempotency-Key a servi à une autre requête',
    cause:
      'Le même Idempotency-Key est déjà venu avec une autre méthode, un autre chemin, une autre query ou un autre corps.',
    resolution:
      'Prenez un nouvel Idempotency-Key pour une nouvelle requête ; répétez une requête à l’octet près pour la rejouer.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    title: 'Une requête avec cet Idempotency-Key est en cours',
    cause: 'La première requête avec cet Idempotency-Key n’est pas encore terminée.',
    resolution: 'Attendez Retry-After secondes et répétez la requête avec la même clé.',
  },
  MALFORMED_BODY: {
    title: 'Le corps n’est pas du JSON bien formé',
    cause: 'Le corps n’est pas du JSON valide en UTF-8, répète une propriété, ou est trop imbriqué.',
    resolution: 'Envoyez un objet JSON encodé en UTF-8, chaque propriété une seule fois.',
  },
  VALIDATION_FAILED: {
    title: 'La requête n’est pas valide',
    cause: 'Une ou plusieurs propriétés, un paramètre ou un en-tête enfreignent une règle de l’interface.',
    resolution: 'Corrigez tout ce que liste errors et renvoyez la requête.',
  },
  BAD_REQUEST: {
    title: 'Requête incorrecte',
    cause:
      'La requête n’est pas du HTTP bien formé, son chemin n’est pas canonique, ou un en-tête de sécurité est doublé ou porte un autre nom.',
    resolution:
      'Envoyez du HTTP/1.1 bien formé, avec un chemin canonique et chaque en-tête de sécurité une seule fois.',
  },
  NOT_FOUND: {
    title: 'Aucune opération à cette adresse',
    cause: 'Aucune opération n’a ce chemin.',
    resolution: 'Comparez le chemin avec la liste des opérations sous /docs.',
  },
  ACCOUNT_NOT_FOUND: {
    title: 'Compte introuvable',
    cause: 'Le tenant n’a pas de compte avec cet accountId.',
    resolution: 'Utilisez un accountId que POST /v1/accounts/open a rendu au même tenant.',
  },
  KYC_SESSION_NOT_FOUND: {
    title: 'Session de widget introuvable',
    cause: 'Le tenant n’a pas de session de widget avec ce sessionId.',
    resolution: 'Utilisez un sessionId que POST /v1/kyc/widget/session a rendu au même tenant.',
  },
  WEBHOOK_NOT_FOUND: {
    title: 'Webhook introuvable',
    cause: 'Le tenant n’a pas de webhook avec ce webhookId.',
    resolution: 'Utilisez un webhookId que POST /v1/webhooks a rendu au même tenant.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'Méthode non autorisée',
    cause: 'Le chemin existe, mais pas avec cette méthode.',
    resolution: 'Utilisez une des méthodes de l’en-tête Allow.',
  },
  REQUEST_TIMEOUT: {
    title: 'La requête a mis trop de temps à arriver',
    cause: 'Les en-têtes ou le corps ne sont pas arrivés à temps.',
    resolution: 'Envoyez toute la requête sans pause, sur une nouvelle connexion.',
  },
  TOO_MANY_UNFINISHED: {
    title: 'Trop de requêtes inachevées',
    cause: 'Autant de requêtes que permis de cette adresse ou de ce partenaire envoient encore leur corps.',
    resolution: 'Terminez l’envoi des corps en cours, puis renvoyez la requête.',
  },
  STORAGE_QUOTA_EXCEEDED: {
    title: 'Quota de stockage épuisé',
    cause:
      'Le sandbox garde déjà pour le partenaire autant de comptes, de sessions, de webhooks ou de réponses terminées que permis.',
    resolution: 'Libérez ce que nomme le problème avec DELETE /v1/sandbox/data, puis renvoyez la requête.',
  },
  BODY_TOO_LARGE: {
    title: 'Le corps est trop grand',
    cause: 'Le corps est plus grand que ce que la passerelle accepte.',
    resolution: 'Envoyez un corps plus petit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'Type de contenu non pris en charge',
    cause: 'Le Content-Type n’est pas celui que l’opération attend, ou le corps est encodé.',
    resolution: 'Envoyez application/json en UTF-8, sans Content-Encoding.',
  },
  EXPECTATION_FAILED: {
    title: 'Attente non satisfaite',
    cause: 'L’en-tête Expect demande autre chose que 100-continue.',
    resolution: 'N’envoyez pas d’en-tête Expect, ou Expect: 100-continue.',
  },
  HEADERS_TOO_LARGE: {
    title: 'Les en-têtes sont trop grands',
    cause:
      'La ligne de requête et les en-têtes sont plus grands, ou plus nombreux, que ce que la passerelle accepte.',
    resolution: 'Envoyez moins d’en-têtes, ou de plus courts.',
  },
  INTERNAL: {
    title: 'Erreur interne',
    cause: 'La passerelle a échoué d’une façon imprévue.',
    resolution:
      'Répétez la requête avec le même Idempotency-Key, et signalez le requestId si elle échoue de nouveau.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'Le service en amont est indisponible',
    cause: 'Le service en amont n’a pas pu être joint ; il n’a rien fait.',
    resolution: 'Répétez la requête avec le même Idempotency-Key.',
  },
  UPSTREAM_INDETERMINATE: {
    title: 'Le service en amont a coupé la connexion',
    cause: 'La connexion au service en amont a été coupée après l’envoi de la requête ; il a pu agir.',
    resolution: 'Répétez la requête avec le même Idempotency-Key pour connaître l’issue.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'Le service en amont a mis trop de temps',
    cause: 'Le service en amont n’a pas répondu à temps ; il a pu agir.',
    resolution: 'Répétez la requête avec le même Idempotency-Key pour connaître l’issue.',
  },
  STORE_UNAVAILABLE: {
    title: 'La passerelle ne peut pas enregistrer le résultat',
    cause: 'Le stockage ne peut pas être écrit pour l’instant. Rien n’a été exécuté.',
    resolution: 'Attendez Retry-After secondes et répétez la requête avec le même Idempotency-Key.',
  },
  OVERLOADED: {
    title: 'La passerelle est surchargée',
    cause: 'Plus de requêtes sont en cours que la passerelle n’en accepte à la fois. Rien n’a été exécuté.',
    resolution: 'Attendez Retry-After secondes et répétez la requête.',
  },
  DRAINING: {
    title: 'La passerelle s’arrête',
    cause: 'La passerelle termine ses dernières requêtes. Rien n’a été exécuté.',
    resolution: 'Répétez la requête sur une nouvelle connexion.',
  },
  CASSETTE_MISS: {
    title: 'Aucune réponse enregistrée ne correspond',
    cause: 'La passerelle rejoue une cassette et aucun échange enregistré ne correspond à cette requête.',
    resolution:
      'Lisez le rapport dans ce problème, puis changez la requête ou enregistrez de nouveau la cassette.',
  },
}

/** Title, cause and resolution of a code, in French or in the catalogue's own English. */
export function errorWords(code: ErrorCode, language: Language): ErrorWords {
  return language === 'fr' ? FRENCH[code] : errorEntry(code)
}
