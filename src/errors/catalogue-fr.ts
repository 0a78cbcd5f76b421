import { type ErrorCode, errorEntry } from './catalogue.ts'

/** What a page says of a code in its reader's language. */
export type ErrorWords = { readonly title: string; readonly resolution: string }

/** The catalogue's titles and resolutions in French; a code without them does not compile. */
const FRENCH: Readonly<Record<ErrorCode, ErrorWords>> = {
  IDEMPOTENCY_KEY_REQUIRED: {
    title: 'L’en-tête Idempotency-Key est obligatoire',
    resolution: 'Ajoutez un en-tête Idempotency-Key avec un nouvel UUID v4 et renvoyez la requête.',
  },
  PARTNER_MISMATCH: {
    title: 'X-Tenant-Id ne correspond pas à la clé',
    resolution: 'Envoyez le tenant de la clé, ou omettez X-Tenant-Id.',
  },
  PARTNER_LIMIT_EXCEEDED: {
    title: 'Plafond du partenaire dépassé',
    resolution:
      'Lisez la marge restante sur /portal/usage, puis attendez la période suivante ou demandez à l’opérateur de relever le plafond.',
  },
  SCORE_NOT_FOUND: {
    title: 'Aucun score pour ce customerRef',
    resolution: 'Vérifiez le customerRef. Ne répétez pas la même référence inconnue.',
  },
  KYC_SESSION_EXPIRED: {
    title: 'La session du widget a expiré',
    resolution: 'Créez une nouvelle session avec POST /v1/kyc/widget/session et ouvrez la nouvelle URL.',
  },
  TOKEN_EXPIRED: {
    title: 'Le jeton d’accès a expiré',
    resolution: 'Échangez de nouveau la clé sandbox avec POST /auth/token.',
  },
  RATE_LIMITED: {
    title: 'Limite de débit dépassée',
    resolution: 'Attendez l’instant donné par X-RateLimit-Reset (ou Retry-After secondes), puis réessayez.',
  },
  KYB_REJECTED: {
    title: 'Entreprise refusée',
    resolution:
      'Soumettez un nouveau dossier, ou utilisez un businessRef qui finit par 001 pour une approbation.',
  },
  KYC_REJECTED: {
    title: 'Identité refusée',
    resolution:
      'Soumettez un nouveau dossier, ou utilisez le même numéro avec un 1 final pour une approbation.',
  },
  PAYMENT_FAILED: {
    title: 'Paiement échoué',
    resolution: 'Réessayez avec un nouvel Idempotency-Key et un montant qui finit par 77 pour une réussite.',
  },
  CREDIT_REJECTED: {
    title: 'Crédit refusé',
    resolution: 'Simulez de nouveau avec un montant d’au plus 100000 XOF qui finit par 11.',
  },
  INVALID_CLIENT: {
    title: 'Échec de l’authentification du client',
    resolution:
      'Envoyez l’identifiant de clé, le tenant ou la clé sandbox en client_id et la clé sandbox en client_secret.',
  },
  INVALID_REQUEST: {
    title: 'Demande de jeton mal formée',
    resolution:
      'Envoyez chaque paramètre une seule fois, avec les identifiants dans le corps ou en HTTP Basic.',
  },
  UNSUPPORTED_GRANT_TYPE: {
    title: 'Type d’autorisation non pris en charge',
    resolution: 'Envoyez grant_type=client_credentials, ou omettez-le.',
  },
  INVALID_SCOPE: {
    title: 'Scope non accordé à cette clé',
    resolution: 'Demandez une partie des scopes de la clé, ou omettez scope pour les obtenir tous.',
  },
  TOKEN_MISSING: {
    title: 'Aucun jeton d’accès',
    resolution: 'Envoyez Authorization: Bearer avec un jeton de POST /auth/token.',
  },
  TOKEN_INVALID: {
    title: 'Le jeton d’accès n’est pas valide',
    resolution: 'Échangez de nouveau la clé sandbox avec POST /auth/token.',
  },
  INSUFFICIENT_SCOPE: {
    title: 'Il manque un scope au jeton d’accès',
    resolution: 'Échangez de nouveau la clé avec ce scope, ou demandez à l’opérateur de l’accorder à la clé.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    title: 'Idempotency-Key n’est pas un UUID v4',
    resolution: 'Envoyez exactement un en-tête Idempotency-Key avec un UUID v4.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'Idempotency-Key a servi à une autre requête',
    resolution:
      'Prenez un nouvel Idempotency-Key pour une nouvelle requête ; répétez une requête à l’octet près pour la rejouer.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    title: 'Une requête avec cet Idempotency-Key est en cours',
    resolution: 'Attendez Retry-After secondes et répétez la requête avec la même clé.',
  },
  MALFORMED_BODY: {
    title: 'Le corps n’est pas du JSON bien formé',
    resolution: 'Envoyez un objet JSON encodé en UTF-8, chaque propriété une seule fois.',
  },
  VALIDATION_FAILED: {
    title: 'La requête n’est pas valide',
    resolution: 'Corrigez tout ce que liste errors et renvoyez la requête.',
  },
  BAD_REQUEST: {
    title: 'Requête incorrecte',
    resolution:
      'Envoyez du HTTP/1.1 bien formé, avec un chemin canonique et chaque en-tête de sécurité une seule fois.',
  },
  NOT_FOUND: {
    title: 'Aucune opération à cette adresse',
    resolution: 'Comparez le chemin avec la liste des opérations sous /docs.',
  },
  ACCOUNT_NOT_FOUND: {
    title: 'Compte introuvable',
    resolution: 'Utilisez un accountId que POST /v1/accounts/open a rendu au même tenant.',
  },
  KYC_SESSION_NOT_FOUND: {
    title: 'Session de widget introuvable',
    resolution: 'Utilisez un sessionId que POST /v1/kyc/widget/session a rendu au même tenant.',
  },
  WEBHOOK_NOT_FOUND: {
    title: 'Webhook introuvable',
    resolution: 'Utilisez un webhookId que POST /v1/webhooks a rendu au même tenant.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'Méthode non autorisée',
    resolution: 'Utilisez une des méthodes de l’en-tête Allow.',
  },
  REQUEST_TIMEOUT: {
    title: 'La requête a mis trop de temps à arriver',
    resolution: 'Envoyez toute la requête sans pause, sur une nouvelle connexion.',
  },
  TOO_MANY_UNFINISHED: {
    title: 'Trop de requêtes inachevées',
    resolution: 'Terminez l’envoi des corps en cours, puis renvoyez la requête.',
  },
  STORAGE_QUOTA_EXCEEDED: {
    title: 'Quota de stockage épuisé',
    resolution: 'Libérez ce que nomme le problème avec DELETE /v1/sandbox/data, puis renvoyez la requête.',
  },
  BODY_TOO_LARGE: {
    title: 'Le corps est trop grand',
    resolution: 'Envoyez un corps plus petit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'Type de contenu non pris en charge',
    resolution: 'Envoyez application/json en UTF-8, sans Content-Encoding.',
  },
  EXPECTATION_FAILED: {
    title: 'Attente non satisfaite',
    resolution: 'N’envoyez pas d’en-tête Expect, ou Expect: 100-continue.',
  },
  HEADERS_TOO_LARGE: {
    title: 'Les en-têtes sont trop grands',
    resolution: 'Envoyez moins d’en-têtes, ou de plus courts.',
  },
  INTERNAL: {
    title: 'Erreur interne',
    resolution:
      'Répétez la requête avec le même Idempotency-Key, et signalez le requestId si elle échoue de nouveau.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'Le service en amont est indisponible',
    resolution: 'Répétez la requête avec le même Idempotency-Key.',
  },
  UPSTREAM_INDETERMINATE: {
    title: 'Le service en amont a coupé la connexion',
    resolution: 'Répétez la requête avec le même Idempotency-Key pour connaître l’issue.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'Le service en amont a mis trop de temps',
    resolution: 'Répétez la requête avec le même Idempotency-Key pour connaître l’issue.',
  },
  STORE_UNAVAILABLE: {
    title: 'La passerelle ne peut pas enregistrer le résultat',
    resolution: 'Attendez Retry-After secondes et répétez la requête avec le même Idempotency-Key.',
  },
  OVERLOADED: {
    title: 'La passerelle est surchargée',
    resolution: 'Attendez Retry-After secondes et répétez la requête.',
  },
  DRAINING: {
    title: 'La passerelle s’arrête',
    resolution: 'Répétez la requête sur une nouvelle connexion.',
  },
  CASSETTE_MISS: {
    title: 'Aucune réponse enregistrée ne correspond',
    resolution:
      'Lisez le rapport dans ce problème, puis changez la requête ou enregistrez de nouveau la cassette.',
  },
}

/** Title and resolution of a code, in French or in the catalogue's own English. */
export function errorWords(code: ErrorCode, language: 'fr' | 'en'): ErrorWords {
  return language === 'fr' ? FRENCH[code] : errorEntry(code)
}
